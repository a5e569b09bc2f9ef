// Output-file names come from hostile programs: whatever their bytes, the escaped form is printable
// UTF-8 and gives the original bytes back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  std::abort();
}

std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
    } else if (text.at(i + 1) == '\\') {
      bytes += '\\';
      i += 1;
    } else {
      if (text.at(i + 1) != 'x') std::abort();
      bytes += static_cast<char>(hex_digit(text.at(i + 2)) * 16 + hex_digit(text.at(i + 3)));
      i += 3;
    }
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const std::string escaped = cove::escape_file_name(name);
  for (const char c : escaped) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) std::abort();
  }
  if (unescape(escaped) != name) std::abort();
  return 0;
}
