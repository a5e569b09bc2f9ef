#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "runtime/language_profile.h"

namespace cove {

inline constexpr Bytes kMaxProfileFile = Bytes::kib(256);

// Finds the profile that another one `extends`; null when there is none of that name.
using ProfileLookup = std::function<const LanguageProfile*(std::string_view name)>;

// Reads a language profile, strictly: an unknown key or a wrong type is an error that names the
// file, the key and what is allowed. `source` names the text in messages.
Result<LanguageProfile> parse_profile(std::string_view text, std::string_view source,
                                      const ProfileLookup& lookup = {});

Result<LanguageProfile> load_profile(const std::string& path, const ProfileLookup& lookup = {});

}  // namespace cove
