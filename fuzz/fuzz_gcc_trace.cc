// What gcc prints as text about a hostile program, of which places are taken.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/own_place.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  cove::Diagnostic error;
  error.level = "error";
  error.spans = {{"/h", 1, 1, 1, 2, true, "", {}}};
  std::vector<cove::Diagnostic> found(3, error);
  const std::vector<cove::ExecFile> files{{"a", std::string(bytes), std::nullopt}};
  cove::add_own_places(found, bytes, files, cove::ColumnUnit::Bytes);
  cove::promote_own_places(found);
  for (const cove::Diagnostic& each : found) {
    if (each.spans.empty() || each.spans.size() > cove::DiagnosticList::kMostSpans) std::abort();
  }
  return 0;
}
