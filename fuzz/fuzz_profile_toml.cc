#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/profile_loader.h"

// Any text gives a profile that can be started or an error that says something.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  cove::LanguageProfile base;
  base.name = "base";
  base.extension = "x";
  base.interpreters = {"base"};
  base.run_args = {"{program}"};
  const auto profile = cove::parse_profile(
      text, "fuzz.toml", [&](std::string_view name) { return name == "base" ? &base : nullptr; });
  if (!profile) {
    if (profile.error().message().empty()) std::abort();
    return 0;
  }
  const bool can_start = !profile->interpreters.empty() || !profile->alternatives.empty();
  if (profile->name.empty() || profile->extension.empty() || profile->run_args.empty() ||
      !can_start) {
    std::abort();
  }
  return 0;
}
