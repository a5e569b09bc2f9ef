#pragma once
#include <array>
#include <string>
#include <string_view>

namespace cove {

using Sha256Digest = std::array<unsigned char, 32>;

Sha256Digest sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);  // 64 lower-case digits

// Lower-case digits of any bytes.
std::string to_hex(std::string_view bytes);

}  // namespace cove
