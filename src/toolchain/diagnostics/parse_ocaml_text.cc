// ocamlopt: 'File "main.ml", line 2, characters 17-24:', the source with carets, then "Error: …" or
// "Warning 26 [unused-var]: …" with further lines. Columns count bytes from 0, an end is one past
// the last.
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/linker_text.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

std::optional<DiagnosticSpan> read_place_line(std::string_view line) {
  if (!take_prefix(line, "File \"")) return std::nullopt;
  const auto quote = line.find("\", line");
  if (quote == std::string_view::npos || quote == 0) return std::nullopt;
  DiagnosticSpan span;
  span.file_name = line.substr(0, quote);
  line.remove_prefix(quote + 7);
  const bool several = take_prefix(line, "s");
  if (!take_prefix(line, " ")) return std::nullopt;
  const auto first = take_number(line);
  if (!first) return std::nullopt;
  span.line_start = span.line_end = *first;
  if (several && take_prefix(line, "-")) span.line_end = take_number(line).value_or(*first);
  if (take_prefix(line, ", characters ")) {
    const auto from = take_number(line);
    const auto to = take_prefix(line, "-") ? take_number(line) : std::nullopt;
    if (!from || !to) return std::nullopt;
    span.column_start = *from + 1;
    // An empty range is the end of the file: its place has no length.
    if (*to > *from || span.line_end > span.line_start) span.column_end = *to + 1;
  }
  return span;
}

// "Error: message", "Error (alert deprecated): message", "Warning 26 [unused-var]: message".
bool read_message(std::string_view line, Diagnostic& out) {
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos) return false;
  std::string_view head = line.substr(0, colon);
  if (take_prefix(head, "Error")) {
    out.level = "error";
  } else if (take_prefix(head, "Warning") || take_prefix(head, "Alert")) {
    out.level = "warning";
  } else {
    return false;
  }
  if (!head.empty() && head.front() != ' ') return false;
  const auto open = head.find_first_of("[(");
  if (open != std::string_view::npos && (head.ends_with(']') || head.ends_with(')'))) {
    out.code = std::string(head.substr(open + 1, head.size() - open - 2));
  } else if (!trim(head).empty()) {
    out.code = std::string(trim(head));
  }
  out.message = trim(line.substr(colon + 2));
  return true;
}

// The lines that belong to a message end where the next place or message begins.
void read_rest(OutputLines& lines, std::string& message) {
  std::string_view line;
  for (auto next = lines.peek(); next; next = lines.peek()) {
    Diagnostic other;
    if (next->starts_with("File \"") || read_message(*next, other)) return;
    if (!lines.next(line)) return;
    const std::string_view text = trim(line);
    // An indented line goes on with the one before.
    if (!text.empty()) message += (line.starts_with(' ') ? ' ' : '\n') + std::string(text);
  }
}

}  // namespace

std::vector<Diagnostic> parse_ocaml_text(std::string_view output) {
  DiagnosticList list;
  LinkerText linker(list);
  OutputLines lines(output);
  std::optional<DiagnosticSpan> place;
  for (std::string_view line; !list.full() && lines.next(line);) {
    Diagnostic diagnostic;
    if (auto here = read_place_line(line)) {
      place = std::move(here);
    } else if (read_message(line, diagnostic)) {
      if (place) diagnostic.spans.push_back(*std::exchange(place, std::nullopt));
      read_rest(lines, diagnostic.message);
      list.add(std::move(diagnostic));
    } else {
      linker.take(line);
    }
  }
  return list.take();
}

}  // namespace cove
