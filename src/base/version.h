#pragma once
#include <string_view>

namespace cove {

// The one place where the version is written; CMake reads it from here.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace cove
