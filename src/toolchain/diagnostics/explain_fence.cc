#include "toolchain/diagnostics/explain_fence.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "toolchain/diagnostics/diagnostic_list.h"

namespace cove {

void explain_fence(std::vector<Diagnostic>& diagnostics, const ExecFile& program) {
  constexpr std::string_view kFence = "```";
  if (!program.content.starts_with(kFence)) return;
  if (std::ranges::none_of(diagnostics, &Diagnostic::is_error)) return;
  const std::size_t end = std::min(program.content.find('\n'), DiagnosticList::kMostLine);
  Diagnostic fence;
  fence.level = "error";
  fence.message =
      "the program begins with a Markdown fence: give the code alone, without ``` lines";
  DiagnosticSpan& span = fence.spans.emplace_back();
  span.file_name = program.name;
  span.line_start = span.line_end = 1;
  span.column_start = 1;
  span.column_end = kFence.size() + 1;
  span.text.push_back({program.content.substr(0, end), span.column_start, span.column_end});
  diagnostics.insert(diagnostics.begin(), std::move(fence));
}

}  // namespace cove
