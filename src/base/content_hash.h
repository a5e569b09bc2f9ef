#pragma once
#include <string>
#include <string_view>

#include "base/sha256_stream.h"

namespace cove {

// A name that says what something was made from: SHA-256 over a list of fields. Each is hashed with
// its length, so that ("ab", "c") and ("a", "bc") differ. Keys and signatures are not its business:
// engine/sha256.h has the crypto library's.
class ContentHash {
 public:
  void add(std::string_view field);
  // Ends it: 64 lower-case hexadecimal digits.
  std::string finish() { return stream_.finish(); }

 private:
  Sha256Stream stream_;
};

}  // namespace cove
