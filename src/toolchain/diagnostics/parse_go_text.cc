// go build and go vet: "./main.go:5:2: message", with further lines behind a tab. Columns count
// bytes.
#include <string>
#include <utility>

#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {

std::vector<Diagnostic> parse_go_text(std::string_view output) {
  DiagnosticList list;
  OutputLines lines(output);
  for (std::string_view line; !list.full() && lines.next(line);) {
    if (line.starts_with('\t')) {
      line.remove_prefix(1);
      list.add_note({"note", std::string(line), {}});
      continue;
    }
    if (line.starts_with('#')) continue;  // the package that the next lines are about
    take_prefix(line, "vet: ");
    Diagnostic diagnostic;
    diagnostic.level = "error";
    if (const auto place = read_place(line)) {
      DiagnosticSpan span;
      span.file_name = place->file;
      span.line_start = span.line_end = place->line;
      span.column_start = place->column;
      diagnostic.spans.push_back(std::move(span));
      diagnostic.message = place->rest;
      if (diagnostic.message == "too many errors") continue;
    } else if (take_prefix(line, "go: ") || line.starts_with("package ")) {
      diagnostic.message = line;
    } else {
      continue;
    }
    list.add(std::move(diagnostic));
  }
  return list.take();
}

}  // namespace cove
