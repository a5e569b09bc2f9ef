// clang with -fdiagnostics-print-source-range-info -fdiagnostics-parseable-fixits
// -fno-caret-diagnostics; other compilers that begin their lines "FILE:LINE:COLUMN: level: " (zig,
// swift, older gcc) are read as well.
#include <algorithm>
#include <string>
#include <utility>

#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/linker_text.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

std::string level_of(std::string_view& rest) {
  if (take_prefix(rest, "fatal error: ") || take_prefix(rest, "error: ")) return "error";
  if (take_prefix(rest, "warning: ")) return "warning";
  if (take_prefix(rest, "note: ") || take_prefix(rest, "remark: ")) return "note";
  return {};
}

// Takes "{3:1-3:8}" off the front.
bool take_range(std::string_view& text, DiagnosticSpan& span) {
  std::string_view rest = text;
  if (!take_prefix(rest, "{")) return false;
  const auto line = take_number(rest);
  if (!line || !take_prefix(rest, ":")) return false;
  const auto column = take_number(rest);
  if (!column || !take_prefix(rest, "-")) return false;
  const auto line_end = take_number(rest);
  if (!line_end || !take_prefix(rest, ":")) return false;
  const auto column_end = take_number(rest);
  if (!column_end || !take_prefix(rest, "}")) return false;
  span.line_start = *line;
  span.column_start = *column;
  span.line_end = *line_end;
  span.column_end = *column_end;
  text = rest;
  return true;
}

// The caret's place, as long as a range that begins there; other ranges explain it.
std::vector<DiagnosticSpan> read_spans(const OutputPlace& place, std::string_view& rest) {
  std::vector<DiagnosticSpan> spans(1);
  spans[0].file_name = place.file;
  spans[0].line_start = spans[0].line_end = place.line;
  spans[0].column_start = place.column;
  DiagnosticSpan range;
  range.file_name = place.file;
  range.is_primary = false;
  while (take_range(rest, range)) {
    if (range.line_start == place.line && range.column_start == place.column) {
      spans[0].line_end = range.line_end;
      spans[0].column_end = range.column_end;
    } else if (spans.size() < DiagnosticList::kMostSpans) {
      spans.push_back(range);
    }
  }
  take_prefix(rest, ":");
  while (take_prefix(rest, " ")) {
  }
  return spans;
}

// "message [-Wshadow]" or "message [-Werror,-Wshadow]".
void split_option(Diagnostic& diagnostic) {
  std::string& message = diagnostic.message;
  const auto open = message.rfind(" [-");
  if (open == std::string::npos || !message.ends_with(']')) return;
  diagnostic.code = message.substr(open + 2, message.size() - open - 3);
  message.resize(open);
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c >= '0' && c <= '3' && i + 2 < text.size()) {
      const unsigned value = ((static_cast<unsigned>(c) - '0') << 6U) |
                             ((static_cast<unsigned>(text[i + 1]) & 7U) << 3U) |
                             (static_cast<unsigned>(text[i + 2]) & 7U);
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

// fix-it:"a.c":{1:2-1:3}:"text"
void read_fixit(std::string_view line, DiagnosticList& list) {
  Diagnostic* const last = list.last();
  const auto name_end = line.find("\":{");
  if (last == nullptr || !take_prefix(line, "fix-it:\"") || name_end == std::string_view::npos)
    return;
  const std::string_view name = line.substr(0, line.find("\":{"));
  line.remove_prefix(std::min(name.size() + 2, line.size()));
  DiagnosticSuggestion suggestion;
  suggestion.span.file_name = unescape(name);
  if (!take_range(line, suggestion.span) || !take_prefix(line, ":\"") || !line.ends_with('"'))
    return;
  line.remove_suffix(1);
  suggestion.replacement = unescape(line);
  if (last->suggestions.size() < DiagnosticList::kMostSpans) {
    last->suggestions.push_back(std::move(suggestion));
  }
}

}  // namespace

std::vector<Diagnostic> parse_clang_text(std::string_view output) {
  DiagnosticList list;
  LinkerText linker(list);
  OutputLines lines(output);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with("fix-it:")) {
      read_fixit(line, list);
      continue;
    }
    auto place = read_place(line);
    Diagnostic diagnostic;
    if (place) {
      std::string_view rest = place->rest;
      diagnostic.spans = read_spans(*place, rest);
      diagnostic.level = level_of(rest);
      diagnostic.message = rest;
    }
    if (diagnostic.level.empty()) {
      linker.take(line);
    } else if (diagnostic.level == "note") {
      list.add_note({"note", std::move(diagnostic.message), std::move(diagnostic.spans)});
    } else if (list.full()) {
      break;
    } else {
      split_option(diagnostic);
      list.add(std::move(diagnostic));
    }
  }
  return list.take();
}

}  // namespace cove
