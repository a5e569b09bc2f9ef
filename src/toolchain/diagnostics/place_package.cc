#include "toolchain/diagnostics/place_package.h"

#include <algorithm>
#include <string>
#include <utility>

#include "toolchain/go_package.h"

namespace cove {

void place_package(std::vector<Diagnostic>& diagnostics, std::span<const ExecFile> files,
                   std::string_view entry) {
  const std::string directory(entry.substr(0, entry.rfind('/') + 1));  // npos + 1 is 0
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code != kPackageMain) continue;
    DiagnosticSpan span;
    span.file_name = entry;
    if (!diagnostic.spans.empty()) {
      span.file_name = directory + diagnostic.spans.front().file_name;
    }
    diagnostic.spans.clear();
    const auto file = std::ranges::find(files, span.file_name, &ExecFile::name);
    if (file == files.end()) continue;
    if (const auto found = find_package(file->content)) {
      span.line_start = span.line_end = found->line;
      span.column_start = found->column;
      diagnostic.spans.push_back(std::move(span));
    }
  }
}

}  // namespace cove
