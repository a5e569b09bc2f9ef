#include "base/random_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace cove {
namespace {

constexpr std::size_t kIdLength = 20;
// No i, l, o, u: an id that is read aloud or typed is not mistaken.
constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
static_assert(kAlphabet.size() == 32);

}  // namespace

std::string random_id(std::string_view prefix) {
  std::array<unsigned char, kIdLength> random{};
  std::size_t have = 0;
  while (have < random.size()) {
    const ssize_t got = ::getrandom(random.data() + have, random.size() - have, 0);
    if (got > 0) {
      have += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      // Without randomness ids would be guessable; no supported kernel gets here.
      std::abort();
    }
  }
  std::string id(prefix);
  for (const unsigned char byte : random) id += kAlphabet[byte & 31U];
  return id;
}

}  // namespace cove
