// What gcc and the linker print about a hostile program.
#include "diagnostics_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return cove::check_diagnostics_parser("gcc-json", data, size);
}
