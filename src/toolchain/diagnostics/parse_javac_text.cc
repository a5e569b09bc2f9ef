// javac: "Main.java:4: error: message", perhaps more of the message, the source line, a caret under
// it, and details that are indented.
#include <string>
#include <utility>

#include "base/strings.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

struct Header {
  Diagnostic diagnostic;
  bool has_place = false;
};

// "warning: [rawtypes] message"
bool read_message(std::string_view text, Diagnostic& out) {
  if (take_prefix(text, "error: ")) {
    out.level = "error";
  } else if (take_prefix(text, "warning: ")) {
    out.level = "warning";
  } else {
    return false;
  }
  if (text.starts_with('[')) {
    const auto close = text.find("] ");
    if (close != std::string_view::npos && close < 64) {
      out.code = std::string(text.substr(1, close - 1));
      text.remove_prefix(close + 2);
    }
  }
  out.message = text;
  return true;
}

std::optional<Header> read_header(std::string_view line) {
  Header header;
  if (read_message(line, header.diagnostic)) return header;
  const auto place = read_place(line);
  if (!place || !read_message(place->rest, header.diagnostic)) return std::nullopt;
  DiagnosticSpan span;
  span.file_name = place->file;
  span.line_start = span.line_end = place->line;
  header.diagnostic.spans.push_back(std::move(span));
  header.has_place = true;
  return header;
}

// "2 errors", "1 warning", "Note: Main.java uses unchecked operations."
bool is_summary(std::string_view line) {
  if (line.starts_with("Note: ")) return true;
  if (!take_number(line)) return false;
  return line == " error" || line == " errors" || line == " warning" || line == " warnings";
}

// The caret's column, if the line is nothing but a caret.
std::optional<std::uint32_t> caret_column(std::string_view line) {
  const auto at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || at > 100'000 || line.substr(at) != "^") return std::nullopt;
  return static_cast<std::uint32_t>(at + 1);
}

// The lines behind a header, up to the next one.
void read_body(OutputLines& lines, Diagnostic& out, bool has_place) {
  std::string held;  // may be the source line: known when a caret follows
  bool holds = false;
  bool seen_caret = !has_place;
  for (auto line = lines.peek(); line; line = lines.peek()) {
    if (read_header(*line) || is_summary(*line)) break;
    std::string_view taken;
    lines.next(taken);
    if (!seen_caret) {
      if (const auto column = caret_column(taken); column && holds) {
        out.spans[0].column_start = *column;
        out.spans[0].text.push_back({held, *column, *column + 1});
        seen_caret = true;
      } else {
        if (holds) out.message += "\n" + held;
        held = taken;
        holds = true;
      }
    } else if (!trim(taken).empty() && out.notes.size() < DiagnosticList::kMostNotes) {
      out.notes.push_back({"note", std::string(trim(taken)), {}});
    }
    if (out.message.size() > DiagnosticList::kMostMessage) break;
  }
  if (!seen_caret && holds) out.message += "\n" + held;
}

}  // namespace

std::vector<Diagnostic> parse_javac_text(std::string_view output) {
  DiagnosticList list;
  OutputLines lines(output);
  for (std::string_view line; !list.full() && lines.next(line);) {
    auto header = read_header(line);
    if (!header) continue;
    read_body(lines, header->diagnostic, header->has_place);
    list.add(std::move(header->diagnostic));
  }
  return list.take();
}

}  // namespace cove
