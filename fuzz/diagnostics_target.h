#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "model/diagnostic_codec.h"
#include "model/diagnostic_text.h"
#include "toolchain/diagnostics/attach_source.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"

namespace cove {

// What holds for each parser of diagnostics, whatever a compiler prints: it ends, its result is
// within the bounds, takes the program's source, and can be shown and sent. The same bytes serve as
// source.
inline int check_diagnostics_parser(std::string_view format_name, const std::uint8_t* data,
                                    std::size_t size) {
  const DiagnosticFormat* const format = find_diagnostic_format(format_name);
  if (format == nullptr) std::abort();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto found = format->parse(bytes);
  if (found.size() > DiagnosticList::kMostDiagnostics) std::abort();
  for (const Diagnostic& diagnostic : found) {
    if (diagnostic.message.size() > DiagnosticList::kMostMessage ||
        diagnostic.spans.size() > DiagnosticList::kMostSpans ||
        diagnostic.notes.size() > DiagnosticList::kMostNotes ||
        diagnostic.suggestions.size() > DiagnosticList::kMostSpans) {
      std::abort();
    }
    if (diagnostic.level != "error" && diagnostic.level != "warning" &&
        diagnostic.level != "note" && diagnostic.level != "help") {
      std::abort();
    }
  }
  const std::string name =
      found.empty() || found[0].spans.empty() ? "a" : found[0].spans[0].file_name;
  const std::vector<ExecFile> files{{name, std::string(bytes), std::nullopt}};
  attach_source(found, files, format->columns);
  if (render_diagnostics(found, DiagnosticStyle::Short).size() > (64U << 10U)) std::abort();
  if (!is_valid_utf8(render_diagnostics(found, DiagnosticStyle::Full))) std::abort();
  for (const json::value& value : encode_diagnostics(found)) {
    if (!decode_diagnostic(value, "d")) std::abort();
  }
  return 0;
}

}  // namespace cove
