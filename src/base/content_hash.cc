#include "base/content_hash.h"

namespace cove {

void ContentHash::add(std::string_view field) {
  std::string length;
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    length += static_cast<char>(field.size() >> (shift - 8) & 0xffU);
  }
  stream_.update(length);
  stream_.update(field);
}

}  // namespace cove
