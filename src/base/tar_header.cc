#include "base/tar_header.h"

#include <algorithm>
#include <charconv>

namespace cove {

bool TarHeader::is_zero() const {
  return std::ranges::all_of(block_, [](char c) { return c == '\0'; });
}

bool TarHeader::is_sound() const {
  return number(kTarChecksum) == tar_checksum(block_);
}

bool TarHeader::is_extension() const {
  return std::string_view("xgLK").find(type()) != std::string_view::npos;
}

std::string TarHeader::text(TarField field) const {
  const std::string_view whole = raw(field);
  return std::string(whole.substr(0, std::min(whole.find('\0'), whole.size())));
}

std::string TarHeader::name() const {
  // GNU keeps other things in the place of the prefix.
  const bool posix = raw(kTarMagic) == std::string_view("ustar\0", 6);
  const std::string prefix = posix ? text(kTarPrefix) : "";
  return prefix.empty() ? text(kTarName) : prefix + "/" + text(kTarName);
}

// Octal digits between blanks, or GNU's big-endian binary, marked by the first bit.
std::optional<std::uint64_t> TarHeader::number(TarField field) const {
  std::string_view rest = raw(field);
  const auto first = static_cast<unsigned char>(rest.front());
  std::uint64_t value = 0;
  if (first == 0x80U) {
    for (const char c : rest.substr(1)) {
      if (value >> 56U != 0) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  if (first > 0x80U) return std::nullopt;  // negative
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '7'; rest.remove_prefix(1)) {
    value = value << 3U | static_cast<std::uint64_t>(rest.front() - '0');
  }
  const bool blank = std::ranges::all_of(rest, [](char c) { return c == ' ' || c == '\0'; });
  return blank ? std::optional(value) : std::nullopt;
}

std::uint64_t tar_checksum(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kTarChecksum.at && i < kTarChecksum.at + kTarChecksum.size;
    sum += static_cast<unsigned char>(own ? ' ' : block[i]);
  }
  return sum;
}

std::size_t tar_padding(std::uint64_t size) {
  return static_cast<std::size_t>((kTarBlock - size % kTarBlock) % kTarBlock);
}

std::optional<PaxRecord> take_pax_record(std::string_view& text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto length = pax_number(text.substr(0, space));
  if (!length || *length <= space + 1 || *length > text.size()) return std::nullopt;
  std::string_view record = text.substr(space + 1, *length - space - 1);
  if (!record.ends_with('\n')) return std::nullopt;
  record.remove_suffix(1);
  const std::size_t equals = record.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  text.remove_prefix(*length);
  return PaxRecord{record.substr(0, equals), record.substr(equals + 1)};
}

std::optional<std::uint64_t> pax_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

}  // namespace cove
