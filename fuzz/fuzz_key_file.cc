#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/key_file.h"

// Any text gives keys that are written as the same keys again, or an error that says something.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto keys = cove::parse_key_file(text, "keys.toml");
  if (!keys) {
    if (keys.error().message().empty()) std::abort();
    return 0;
  }
  const auto again = cove::parse_key_file(cove::encode_key_file(*keys), "again.toml");
  if (!again || again->size() != keys->size()) std::abort();
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const auto& before = (*keys)[i];
    const auto& after = (*again)[i];
    if (before.info.name != after.info.name || before.hash != after.hash ||
        before.info.scopes != after.info.scopes || before.info.scopes.empty() ||
        before.info.limits.rate != after.info.limits.rate ||
        before.info.limits.languages != after.info.limits.languages) {
      std::abort();
    }
  }
  return 0;
}
