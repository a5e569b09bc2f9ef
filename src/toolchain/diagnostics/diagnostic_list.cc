#include "toolchain/diagnostics/diagnostic_list.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

// What is left for all diagnostics together: each bound alone is small, their product is not.
struct Room {
  std::size_t bytes = DiagnosticList::kMostBytes;
  std::size_t spans = DiagnosticList::kMostSpansInAll;

  bool used_up() const { return bytes == 0; }
};

void cut(std::string& text, std::size_t most, Room& room) {
  const std::size_t allowed = std::min(most, room.bytes);
  const bool is_the_last = text.size() > allowed && allowed < most;
  if (text.size() > allowed) text.resize(utf8_cut(text, allowed));
  room.bytes -= is_the_last ? room.bytes : text.size();
}

template <class Item>
void cut(std::vector<Item>& items, std::size_t most) {
  if (items.size() > most) items.resize(most);
}

void cut(DiagnosticSpan& span, Room& room) {
  cut(span.file_name, DiagnosticList::kMostLine, room);
  span.file_name = plain_file_name(span.file_name);
  cut(span.label, DiagnosticList::kMostMessage, room);
  cut(span.text, DiagnosticList::kMostLines);
  for (DiagnosticLine& line : span.text) cut(line.text, DiagnosticList::kMostLine, room);
}

void cut_spans(std::vector<DiagnosticSpan>& spans, Room& room) {
  cut(spans, std::min(DiagnosticList::kMostSpans, room.spans));
  room.spans -= spans.size();
  for (DiagnosticSpan& span : spans) cut(span, room);
}

void cut_notes(std::vector<DiagnosticNote>& notes, Room& room) {
  cut(notes, DiagnosticList::kMostNotes);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (room.used_up()) return notes.resize(i);
    cut(notes[i].message, DiagnosticList::kMostMessage, room);
    cut_spans(notes[i].spans, room);
  }
}

void cut_suggestions(std::vector<DiagnosticSuggestion>& suggestions, Room& room) {
  cut(suggestions, std::min(DiagnosticList::kMostSpans, room.spans));
  room.spans -= suggestions.size();
  for (std::size_t i = 0; i < suggestions.size(); ++i) {
    if (room.used_up()) return suggestions.resize(i);
    cut(suggestions[i].message, DiagnosticList::kMostMessage, room);
    cut(suggestions[i].replacement, DiagnosticList::kMostMessage, room);
    cut(suggestions[i].span, room);
  }
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
  Room room;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (room.used_up()) {
      list_.resize(i);
      break;
    }
    Diagnostic& diagnostic = list_[i];
    cut(diagnostic.message, kMostMessage, room);
    if (diagnostic.code) cut(*diagnostic.code, 200, room);
    cut_spans(diagnostic.spans, room);
    cut_notes(diagnostic.notes, room);
    cut_suggestions(diagnostic.suggestions, room);
  }
  return std::move(list_);
}

}  // namespace cove
