// rustc --error-format=json: one object a line. The fields are described in the rustc book, "JSON
// output".
#include <algorithm>
#include <string>
#include <utility>

#include "base/json.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/json_access.h"
#include "toolchain/diagnostics/linker_text.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

std::string level_of(std::string_view raw) {
  if (raw.starts_with("error")) return "error";  // also "error: internal compiler error"
  if (raw == "warning" || raw == "help") return std::string(raw);
  return "note";
}

DiagnosticSpan read_span(const json::value& value) {
  DiagnosticSpan span;
  span.file_name = text_at(value, "file_name");
  // An empty file has no line for rustc, and its errors are on line 0.
  span.line_start = std::max(number_at(value, "line_start"), 1U);
  span.line_end = std::max(number_at(value, "line_end"), 1U);
  span.column_start = number_at(value, "column_start");
  span.column_end = number_at(value, "column_end");
  span.is_primary = bool_at(value, "is_primary");
  span.label = text_at(value, "label");
  for (const json::value& line : list_at(value, "text")) {
    if (span.text.size() == DiagnosticList::kMostLines) break;
    span.text.push_back({text_at(line, "text"), number_at(line, "highlight_start"),
                         number_at(line, "highlight_end")});
  }
  return span;
}

std::vector<DiagnosticSpan> read_spans(const json::value& value) {
  std::vector<DiagnosticSpan> spans;
  for (const json::value& span : list_at(value, "spans")) {
    if (spans.size() == DiagnosticList::kMostSpans) break;
    spans.push_back(read_span(span));
  }
  return spans;
}

void read_child(const json::value& child, Diagnostic& out) {
  bool proposes = false;
  for (const json::value& span : list_at(child, "spans")) {
    const json::value* const replacement = value_at(span, "suggested_replacement");
    if (replacement == nullptr || !replacement->is_string()) continue;
    proposes = true;
    out.suggestions.push_back(
        {text_at(child, "message"), read_span(span), text_at(span, "suggested_replacement")});
    if (out.suggestions.size() == DiagnosticList::kMostSpans) break;
  }
  if (proposes) return;
  out.notes.push_back(
      {level_of(text_at(child, "level")), text_at(child, "message"), read_spans(child)});
}

// What was said already: "aborting due to 2 previous errors", "1 warning emitted".
bool sums_up(std::string_view message) {
  return message.starts_with("aborting due to ") || message.ends_with(" warning emitted") ||
         message.ends_with(" warnings emitted");
}

// A linker that fails is told with its whole command, and what it said is a note far behind. False:
// that says nothing that is understood.
bool take_linker_words(const Diagnostic& diagnostic, DiagnosticList& list) {
  if (!diagnostic.message.starts_with("linking with ")) return false;
  DiagnosticList found;
  LinkerText linker(found);
  for (const DiagnosticNote& note : diagnostic.notes) {
    OutputLines lines(note.message);
    for (std::string_view line; lines.next(line);) linker.take(line);
  }
  if (found.empty()) return false;
  for (Diagnostic& each : found.take()) list.add(std::move(each));
  return true;
}

}  // namespace

std::vector<Diagnostic> parse_rustc_json(std::string_view output) {
  DiagnosticList list;
  OutputLines lines(output);
  for (std::string_view line; !list.full() && lines.next(line);) {
    if (!line.starts_with('{')) continue;
    const auto value = parse_untrusted(line);
    if (!value || value_at(*value, "level") == nullptr) continue;
    Diagnostic diagnostic;
    const std::string level = text_at(*value, "level");
    diagnostic.level = level_of(level);
    diagnostic.message = text_at(*value, "message");
    if (level == "failure-note" || sums_up(diagnostic.message)) continue;
    if (const json::value* code = value_at(*value, "code"); code != nullptr && code->is_object()) {
      diagnostic.code = text_at(*code, "code");
    }
    diagnostic.spans = read_spans(*value);
    for (const json::value& child : list_at(*value, "children")) {
      if (diagnostic.notes.size() == DiagnosticList::kMostNotes) break;
      read_child(child, diagnostic);
    }
    if (!take_linker_words(diagnostic, list)) list.add(std::move(diagnostic));
  }
  return list.take();
}

}  // namespace cove
