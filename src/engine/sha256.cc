#include "engine/sha256.h"

#include <cstdlib>

#include <openssl/evp.h>

namespace cove {

Sha256Digest sha256(std::string_view bytes) {
  // Looked up once: by its name OpenSSL would search its providers each time.
  static const EVP_MD* const kind = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Sha256Digest digest{};
  unsigned int size = 0;
  // Fails only without memory or with a crypto library that has no SHA-256: nothing to go on with.
  if (kind == nullptr ||
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, kind, nullptr) != 1 ||
      size != digest.size()) {
    std::abort();
  }
  return digest;
}

std::string to_hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  const Sha256Digest digest = sha256(bytes);
  return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace cove
