#include "image/tar_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 53U;

struct Field {
  std::size_t at;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kSize{124, 12};
constexpr Field kMtime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kLink{157, 100};
constexpr Field kMagic{257, 6};
constexpr Field kPrefix{345, 155};

// Octal digits between blanks, or GNU's big-endian binary, marked by the first bit.
std::optional<std::uint64_t> number_of(std::string_view field) {
  const auto first = static_cast<unsigned char>(field[0]);
  std::uint64_t value = 0;
  if (first == 0x80) {
    for (const char c : field.substr(1)) {
      if (value >> 55U != 0) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  if (first > 0x80) return std::nullopt;  // negative
  std::size_t at = 0;
  while (at < field.size() && field[at] == ' ') ++at;
  for (; at < field.size() && field[at] >= '0' && field[at] <= '7'; ++at) {
    value = value << 3U | static_cast<std::uint64_t>(field[at] - '0');
  }
  for (; at < field.size(); ++at) {
    if (field[at] != ' ' && field[at] != '\0') return std::nullopt;
  }
  return value;
}

std::uint64_t padding_of(std::uint64_t size) {
  return (kBlock - size % kBlock) % kBlock;
}

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stopped != end || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

struct TarReader::Header {
  std::array<char, kBlock> bytes{};

  std::string_view raw(Field field) const { return {bytes.data() + field.at, field.size}; }
  std::string text(Field field) const {
    const auto whole_field = raw(field);
    return std::string(whole_field.substr(0, whole_field.find('\0')));
  }
  char type() const { return bytes[kType]; }
  bool is_zero() const {
    return std::ranges::all_of(bytes, [](char c) { return c == '\0'; });
  }
  // With the checksum's own bytes as blanks.
  bool is_sound() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const bool own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
      sum += own ? ' ' : static_cast<unsigned char>(bytes[i]);
    }
    return number_of(raw(kChecksum)) == sum;
  }
  std::string name() const {
    // Only POSIX's magic has a prefix; GNU's keeps other things there.
    const std::string prefix = raw(kMagic) == std::string_view("ustar\0", 6) ? text(kPrefix) : "";
    return prefix.empty() ? text(kName) : prefix + "/" + text(kName);
  }
};

Error TarReader::wrong(std::string_view problem) const {
  return {ErrorCode::InvalidRequest,
          fmt::format("not a sound tar archive: {} (member {})", problem, members_ + 1)};
}

// False at the end of the archive.
Result<bool> TarReader::read_header(Header& header) {
  COVE_ASSIGN(const std::size_t n, read_fully(source_, header.bytes));
  if (n == 0) return false;
  if (n < kBlock) return Err(wrong("it ends in the middle of a header"));
  if (header.is_zero()) return false;
  if (!header.is_sound()) return Err(wrong("the checksum of a header is wrong"));
  return true;
}

Result<> TarReader::skip_content() {
  std::array<char, 65536> chunk{};
  for (std::uint64_t left = left_ + padding_; left > 0;) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk.size()));
    COVE_ASSIGN(const std::size_t n, source_.read(std::span(chunk).first(want)));
    if (n == 0) return Err(wrong("it ends in the middle of a member"));
    left -= n;
  }
  left_ = padding_ = 0;
  return {};
}

Result<> TarReader::read_pax(std::string_view text, Extensions& extensions) {
  while (!text.empty()) {
    const auto space = text.find(' ');
    const auto length = whole<std::size_t>(text.substr(0, std::min(space, text.size())));
    if (space == std::string_view::npos || !length || *length <= space + 1 ||
        *length > text.size() || text[*length - 1] != '\n') {
      return Err(wrong("a PAX record has a wrong length"));
    }
    const auto record = text.substr(space + 1, *length - space - 2);
    text.remove_prefix(*length);
    const auto equals = record.find('=');
    if (equals == std::string_view::npos) return Err(wrong("a PAX record has no value"));
    const auto key = record.substr(0, equals);
    const auto value = record.substr(equals + 1);
    if (key == "path") {
      extensions.path = std::string(value);
    } else if (key == "linkpath") {
      extensions.link = std::string(value);
    } else if (key == "size") {
      extensions.size = whole<std::uint64_t>(value);
      if (!extensions.size) return Err(wrong("a PAX size is not a number"));
    } else if (key == "mtime") {
      extensions.mtime = whole<std::int64_t>(value.substr(0, value.find('.')));
      if (!extensions.mtime) return Err(wrong("a PAX time is not a number"));
    } else if (key.starts_with("GNU.sparse.")) {
      return Err(wrong("sparse files are not supported"));
    }
  }
  return {};
}

Result<> TarReader::read_extension(const Header& header, Extensions& extensions) {
  const auto size = number_of(header.raw(kSize));
  if (!size || *size > kMaxExtension) return Err(wrong("an extension header is too long"));
  std::string text(static_cast<std::size_t>(*size), '\0');
  left_ = *size;
  padding_ = padding_of(*size);
  COVE_ASSIGN(const std::size_t n, read_fully(source_, text));
  if (n < text.size()) return Err(wrong("it ends in the middle of an extension header"));
  left_ = 0;
  COVE_TRY(skip_content());
  const auto once = [&](bool& seen) -> Result<> {
    if (std::exchange(seen, true)) return Err(wrong("an extension header is repeated"));
    return {};
  };
  switch (header.type()) {
    case 'x':
      COVE_TRY(once(extensions.from_pax));
      return read_pax(text, extensions);
    case 'L':
      COVE_TRY(once(extensions.from_gnu_name));
      extensions.path = text.substr(0, text.find('\0'));
      return {};
    case 'K':
      COVE_TRY(once(extensions.from_gnu_link));
      extensions.link = text.substr(0, text.find('\0'));
      return {};
    default:
      break;
  }
  Extensions global;  // 'g': of all that follow. A comment is harmless, a name for everybody is not
  COVE_TRY(read_pax(text, global));
  if (global.path || global.link || global.size) {
    return Err(wrong("a global header names or sizes members"));
  }
  return {};
}

// What is left to others: volume labels, multi-volume parts, sparse files, vendors' own.
Result<TarKind> TarReader::kind_of(char type, const std::string& path) const {
  switch (type) {
    case '0':
    case '\0':
    case '7':
      // Archives older than the type of directories end their names in a slash.
      return path.ends_with('/') ? TarKind::Directory : TarKind::File;
    case '1':
      return TarKind::HardLink;
    case '2':
      return TarKind::SymLink;
    case '3':
    case '4':
      return TarKind::Device;
    case '5':
      return TarKind::Directory;
    case '6':
      return TarKind::Fifo;
    case 'S':
      return Err(wrong("sparse files are not supported"));
    default:
      return Err(wrong(
          fmt::format("members of type {} are not supported", quoted(std::string_view(&type, 1)))));
  }
}

// The headers before a member, then its own. False at the end of the archive.
Result<bool> TarReader::read_headers(Header& header, Extensions& extensions) {
  for (int globals = 0;;) {
    COVE_ASSIGN(const bool more, read_header(header));
    if (!more) {
      if (extensions.from_pax || extensions.from_gnu_name || extensions.from_gnu_link) {
        return Err(wrong("an extension header belongs to no member"));
      }
      return false;
    }
    if (header.type() == 'g' && ++globals > 16) return Err(wrong("too many global headers"));
    if (std::string_view("xgLK").find(header.type()) == std::string_view::npos) return true;
    COVE_TRY(read_extension(header, extensions));
  }
}

Result<std::optional<TarMember>> TarReader::next() {
  if (over_) return std::optional<TarMember>();
  COVE_TRY(skip_content());
  Extensions extensions;
  Header header;
  COVE_ASSIGN(const bool more, read_headers(header, extensions));
  if (!more) {
    over_ = true;
    return std::optional<TarMember>();
  }
  TarMember member;
  member.path = extensions.path ? *extensions.path : header.name();
  member.link = extensions.link ? *extensions.link : header.text(kLink);
  const auto mode = number_of(header.raw(kMode));
  const auto size = extensions.size ? extensions.size : number_of(header.raw(kSize));
  const auto mtime = number_of(header.raw(kMtime));
  if (!mode || !size || *size > kMostSize) return Err(wrong("a number in a header is wrong"));
  member.mode = static_cast<std::uint32_t>(*mode & 07777U);
  // A time before 1970 is of no use to anybody here.
  member.mtime = extensions.mtime.value_or(static_cast<std::int64_t>(mtime.value_or(0)));
  COVE_ASSIGN(member.kind, kind_of(header.type(), member.path));
  if (member.kind != TarKind::File && *size != 0) {
    return Err(wrong("a member without content claims to have some"));
  }
  if (member.path.empty() || member.path.size() > kMaxName || member.link.size() > kMaxName ||
      member.path.find('\0') != std::string::npos || member.link.find('\0') != std::string::npos) {
    return Err(wrong("a name is empty, longer than 4096 bytes, or has a NUL in it"));
  }
  member.size = left_ = *size;
  padding_ = padding_of(*size);
  ++members_;
  return std::optional(std::move(member));
}

Result<std::size_t> TarReader::read(std::span<char> into) {
  const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(left_, into.size()));
  if (want == 0) return std::size_t{0};
  COVE_ASSIGN(const std::size_t n, source_.read(into.first(want)));
  if (n == 0) return Err(wrong("it ends in the middle of a member"));
  left_ -= n;
  return n;
}

}  // namespace cove
