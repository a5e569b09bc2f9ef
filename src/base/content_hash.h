#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cove {

// SHA-256 (FIPS 180-4) over a list of fields, for names that say what something was made from. Each
// field is hashed with its length, so that ("ab", "c") and ("a", "bc") differ. Keys and signatures
// are not its business: engine/sha256.h has the crypto library's.
class ContentHash {
 public:
  void add(std::string_view field);
  // Ends it: 64 lower-case hexadecimal digits.
  std::string finish();

  // The plain SHA-256 of one text.
  static std::string of(std::string_view text);

 private:
  void update(std::string_view bytes);
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace cove
