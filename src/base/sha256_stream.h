#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cove {

// SHA-256 of bytes that come piece by piece. Written here because the command is static and must
// start at once: a whole cryptographic library for one hash would be most of it.
class Sha256Stream {
 public:
  void update(std::string_view bytes);
  // 64 lower-case digits. Ends the stream: nothing may be added afterwards.
  std::string finish();

  static std::string of(std::string_view bytes);

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace cove
