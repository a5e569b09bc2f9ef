// tsc --pretty false: "main.ts(3,7): error TS2322: message", with further lines behind two spaces.
// The compilers of C# print the same. Columns count UTF-16 units, as both languages do.
#include <string>
#include <utility>

#include "base/strings.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

// "TS2322", "CS0103"
bool is_code(std::string_view text) {
  std::string_view digits = text;
  if (!take_prefix(digits, "TS") && !take_prefix(digits, "CS")) return false;
  return take_number(digits) && digits.empty();
}

// "error TS2322: message"
bool read_message(std::string_view text, Diagnostic& out) {
  for (const std::string_view level : {"error ", "warning "}) {
    std::string_view rest = text;
    if (!take_prefix(rest, level)) continue;
    const auto colon = rest.find(": ");
    if (colon == std::string_view::npos || !is_code(rest.substr(0, colon))) continue;
    out.level = std::string(trim(level));
    out.code = std::string(rest.substr(0, colon));
    out.message = rest.substr(colon + 2);
    return true;
  }
  return false;
}

bool read_placed(std::string_view line, Diagnostic& out) {
  const auto close = line.find("): ");
  if (close == std::string_view::npos) return false;
  const auto open = line.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return false;
  std::string_view numbers = line.substr(open + 1, close - open - 1);
  const auto number = take_number(numbers);
  if (!number || !take_prefix(numbers, ",")) return false;
  const auto column = take_number(numbers);
  if (!column || !numbers.empty() || !read_message(line.substr(close + 3), out)) return false;
  DiagnosticSpan span;
  span.file_name = line.substr(0, open);
  span.line_start = span.line_end = *number;
  span.column_start = *column;
  out.spans.push_back(std::move(span));
  return true;
}

}  // namespace

std::vector<Diagnostic> parse_tsc_text(std::string_view output) {
  DiagnosticList list;
  OutputLines lines(output);
  for (std::string_view line; !list.full() && lines.next(line);) {
    Diagnostic diagnostic;
    if (line.starts_with("  ")) {
      list.add_note({"note", std::string(trim(line)), {}});
    } else if (read_placed(line, diagnostic) || read_message(line, diagnostic)) {
      list.add(std::move(diagnostic));
    }
  }
  return list.take();
}

}  // namespace cove
