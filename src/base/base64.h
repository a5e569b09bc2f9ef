#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

std::string base64_encode(std::string_view bytes);

// Strict: the standard alphabet, with padding, nothing else (no line breaks, no stray bits), so
// that one content has one encoding. The error says where it goes wrong.
Result<std::string> base64_decode(std::string_view text);

}  // namespace cove
