// Hostile JSON into the request codec. Whatever comes in, it is either refused with a message that
// is valid UTF-8, or a request that the checks for hand-built requests accept as well.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/strings.h"
#include "model/file_name.h"
#include "model/request_codec.h"
#include "policy/presets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cove::PresetResolver presets = cove::PresetCatalog().resolver();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto request = cove::decode_request(text, presets);
  if (!request) {
    if (request.error().code() != cove::ErrorCode::InvalidRequest) std::abort();
    if (!cove::is_valid_utf8(request.error().message())) std::abort();
    return 0;
  }
  if (!cove::validate_request_values(*request)) std::abort();
  if (!cove::validate_file_names(request->files)) std::abort();
  return 0;
}
