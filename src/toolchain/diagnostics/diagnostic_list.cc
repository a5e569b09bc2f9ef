#include "toolchain/diagnostics/diagnostic_list.h"

#include <utility>

#include "base/strings.h"

namespace cove {
namespace {

void cut(std::string& text, std::size_t most) {
  if (text.size() > most) text.resize(utf8_cut(text, most));
}

template <class Item>
void cut(std::vector<Item>& items, std::size_t most) {
  if (items.size() > most) items.resize(most);
}

void cut(DiagnosticSpan& span) {
  cut(span.file_name, DiagnosticList::kMostLine);
  cut(span.label, DiagnosticList::kMostMessage);
  cut(span.text, DiagnosticList::kMostLines);
  for (DiagnosticLine& line : span.text) cut(line.text, DiagnosticList::kMostLine);
}

void cut_spans(std::vector<DiagnosticSpan>& spans) {
  cut(spans, DiagnosticList::kMostSpans);
  for (DiagnosticSpan& span : spans) cut(span);
}

}  // namespace

void DiagnosticList::add(Diagnostic diagnostic) {
  if (!full()) list_.push_back(std::move(diagnostic));
}

void DiagnosticList::add_note(DiagnosticNote note) {
  if (list_.empty() || list_.back().notes.size() >= kMostNotes) return;
  list_.back().notes.push_back(std::move(note));
}

std::vector<Diagnostic> DiagnosticList::take() {
  for (Diagnostic& diagnostic : list_) {
    cut(diagnostic.message, kMostMessage);
    if (diagnostic.code) cut(*diagnostic.code, 200);
    cut_spans(diagnostic.spans);
    cut(diagnostic.notes, kMostNotes);
    for (DiagnosticNote& note : diagnostic.notes) {
      cut(note.message, kMostMessage);
      cut_spans(note.spans);
    }
    cut(diagnostic.suggestions, kMostSpans);
    for (DiagnosticSuggestion& suggestion : diagnostic.suggestions) {
      cut(suggestion.message, kMostMessage);
      cut(suggestion.replacement, kMostMessage);
      cut(suggestion.span);
    }
  }
  return std::move(list_);
}

}  // namespace cove
