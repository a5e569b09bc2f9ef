// gcc -fdiagnostics-format=json (gcc 9 to 14): an array of objects for each translation unit, and
// the linker's own words as plain text behind it.
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

std::string level_of(std::string_view kind) {
  if (kind.find("error") != std::string_view::npos || kind == "sorry, unimplemented") {
    return "error";  // also "fatal error" and "internal compiler error"
  }
  return kind == "warning" || kind == "pedwarn" ? "warning" : "note";
}

std::uint32_t column_at(const json::value& point) {
  const std::uint32_t column = number_at(point, "byte-column");
  return column > 0 ? column : number_at(point, "column");  // before gcc 11
}

std::string file_at(const json::value& point) {
  const std::string file = text_at(point, "file");
  return file.starts_with("./") ? file.substr(2) : file;
}

// A location has a caret and, where it is a range, its first and last byte.
DiagnosticSpan read_location(const json::value& location) {
  const json::value* const caret = value_at(location, "caret");
  const json::value* const start = value_at(location, "start");
  const json::value* const finish = value_at(location, "finish");
  DiagnosticSpan span;
  if (caret == nullptr) return span;
  // The caret is what is meant; a range that begins before it would underline a whole statement.
  const json::value& first =
      start != nullptr && number_at(*start, "line") == number_at(*caret, "line") ? *start : *caret;
  span.file_name = file_at(*caret);
  span.line_start = number_at(first, "line");
  span.column_start = column_at(first);
  span.line_end = span.line_start;
  if (finish != nullptr && file_at(*finish) == span.file_name) {
    span.line_end = std::max(number_at(*finish, "line"), span.line_start);
    span.column_end = column_at(*finish) + 1;
  }
  // A range without an end of its own ends at the caret.
  if (finish == nullptr && &first != caret) span.column_end = column_at(*caret) + 1;
  span.label = text_at(location, "label");
  return span;
}

std::vector<DiagnosticSpan> read_locations(const json::value& value) {
  std::vector<DiagnosticSpan> spans;
  for (const json::value& location : list_at(value, "locations")) {
    if (spans.size() == DiagnosticList::kMostSpans) break;
    DiagnosticSpan span = read_location(location);
    if (span.line_start == 0) continue;
    span.is_primary = spans.empty();
    spans.push_back(std::move(span));
  }
  return spans;
}

void read_fixits(const json::value& value, Diagnostic& out) {
  for (const json::value& fixit : list_at(value, "fixits")) {
    if (out.suggestions.size() == DiagnosticList::kMostSpans) break;
    const json::value* const start = value_at(fixit, "start");
    const json::value* const next = value_at(fixit, "next");
    if (start == nullptr || next == nullptr) continue;
    DiagnosticSpan span;
    span.file_name = file_at(*start);
    span.line_start = number_at(*start, "line");
    span.line_end = number_at(*next, "line");
    span.column_start = column_at(*start);
    span.column_end = column_at(*next);
    out.suggestions.push_back({"", std::move(span), text_at(fixit, "string")});
  }
}

// gcc puts what it finds at one place under the first of it: a warning (#import of a file that is
// not there) can have the error behind it, which is one of its own.
bool is_error_behind_a_warning(const json::value& value, const json::value& child) {
  return level_of(text_at(value, "kind")) != "error" && level_of(text_at(child, "kind")) == "error";
}

Diagnostic read_diagnostic(const json::value& value) {
  Diagnostic out;
  out.level = level_of(text_at(value, "kind"));
  out.message = text_at(value, "message");
  if (std::string option = text_at(value, "option"); !option.empty()) out.code = std::move(option);
  out.spans = read_locations(value);
  read_fixits(value, out);
  for (const json::value& child : list_at(value, "children")) {
    if (out.notes.size() == DiagnosticList::kMostNotes) break;
    if (is_error_behind_a_warning(value, child)) continue;
    out.notes.push_back({"note", text_at(child, "message"), read_locations(child)});
    read_fixits(child, out);
  }
  return out;
}

// The end of the object that starts at `text[0]`, or npos when it is cut off. An array that was cut
// at the cap still gives the objects in front of the cut.
std::size_t object_end(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Most notes are children of what they belong to; others ("old declaration") only follow it.
void add(Diagnostic diagnostic, DiagnosticList& list) {
  if (diagnostic.level != "note" || list.empty()) {
    list.add(std::move(diagnostic));
  } else {
    list.add_note({"note", std::move(diagnostic.message), std::move(diagnostic.spans)});
  }
}

void read_array(std::string_view text, DiagnosticList& list) {
  for (auto at = text.find('{'); at != std::string_view::npos && !list.full();
       at = text.find('{')) {
    text.remove_prefix(at);
    const std::size_t end = object_end(text);
    if (end == std::string_view::npos) return;
    if (const auto value = parse_untrusted(text.substr(0, end))) {
      add(read_diagnostic(*value), list);
      for (const json::value& child : list_at(*value, "children")) {
        if (list.full()) break;
        if (is_error_behind_a_warning(*value, child)) add(read_diagnostic(child), list);
      }
    }
    text.remove_prefix(end);
  }
}

}  // namespace

std::vector<Diagnostic> parse_gcc_json(std::string_view output) {
  DiagnosticList list;
  LinkerText linker(list);
  OutputLines lines(output);
  for (std::string_view line; !list.full() && lines.next(line);) {
    if (line.starts_with('[')) {
      read_array(line, list);
    } else {
      linker.take(line);
    }
  }
  return list.take();
}

}  // namespace cove
