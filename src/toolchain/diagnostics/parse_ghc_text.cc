// ghc -ferror-spans: "Main.hs:3:8-12: error: [GHC-88464]", the message on further lines that are
// indented, then the source behind "|". A message of several parts has a bullet before each.
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

constexpr std::string_view kBullet = "\u2022";

// "(3,5)-(4,10)", "3:8-12" or "3:8", and the colon behind it. Ends are inclusive.
bool take_span(std::string_view& text, DiagnosticSpan& span) {
  const bool is_pair = take_prefix(text, "(");
  const auto line = take_number(text);
  if (!line || !take_prefix(text, is_pair ? "," : ":")) return false;
  const auto column = take_number(text);
  if (!column || (is_pair && !take_prefix(text, ")"))) return false;
  span.line_start = span.line_end = *line;
  span.column_start = *column;
  if (take_prefix(text, "-")) {
    if (is_pair) {
      const auto line_end = take_prefix(text, "(") ? take_number(text) : std::nullopt;
      if (!line_end || !take_prefix(text, ",")) return false;
      span.line_end = *line_end;
    }
    const auto column_end = take_number(text);
    if (!column_end || (is_pair && !take_prefix(text, ")"))) return false;
    span.column_end = *column_end + 1;
  }
  return take_prefix(text, ":");
}

// Takes "[-Wunused-matches] " and the like off the front; the most telling one is the code.
void take_codes(std::string_view& rest, Diagnostic& out) {
  while (rest.starts_with('[')) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return;
    const std::string_view code = rest.substr(1, close - 1);
    if (!out.code || code.starts_with("-W")) out.code = std::string(code);
    rest = trim(rest.substr(close + 1));
  }
}

bool read_head(std::string_view line, Diagnostic& out) {
  for (auto colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon + 1);
    DiagnosticSpan span;
    if (colon == 0 || !take_span(rest, span)) continue;
    rest = trim(rest);
    if (take_prefix(rest, "error:")) {
      out.level = "error";
    } else if (take_prefix(rest, "warning:")) {
      out.level = "warning";
    } else {
      return false;
    }
    span.file_name = line.substr(0, colon);
    out.spans.push_back(std::move(span));
    rest = trim(rest);
    take_codes(rest, out);
    out.message = rest;
    return true;
  }
  return false;
}

// The indented lines: what comes before the second bullet is the message.
void read_body(OutputLines& lines, Diagnostic& out) {
  std::string_view line;
  for (auto next = lines.peek(); next && next->starts_with("    "); next = lines.peek()) {
    if (!lines.next(line)) return;
    std::string_view text = trim(line);
    const bool is_part = take_prefix(text, kBullet);
    text = trim(text);
    if (is_part && !out.message.empty()) {
      out.notes.push_back({"note", std::string(text), {}});
      continue;
    }
    std::string& message = out.notes.empty() ? out.message : out.notes.back().message;
    if (!message.empty()) message += '\n';
    message += text;
  }
}

}  // namespace

std::vector<Diagnostic> parse_ghc_text(std::string_view output) {
  DiagnosticList list;
  LinkerText linker(list);
  OutputLines lines(output);
  for (std::string_view line; !list.full() && lines.next(line);) {
    Diagnostic diagnostic;
    if (read_head(line, diagnostic)) {
      read_body(lines, diagnostic);
      list.add(std::move(diagnostic));
    } else {
      linker.take(line);
    }
  }
  return list.take();
}

}  // namespace cove
