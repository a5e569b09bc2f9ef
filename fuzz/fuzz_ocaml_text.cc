// What ocamlopt prints about a hostile program.
#include "diagnostics_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return cove::check_diagnostics_parser("ocaml-text", data, size);
}
