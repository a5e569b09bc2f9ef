#include "image/tar_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/strings.h"
#include "base/tar_header.h"

namespace cove {
namespace {

constexpr std::uint64_t kMostSize = std::uint64_t{1} << 53U;

// Whole seconds; those before 1970 have a sign.
std::optional<std::int64_t> seconds_of(std::string_view text) {
  text = text.substr(0, text.find('.'));
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

struct TarReader::Header {
  std::array<char, kTarBlock> bytes{};
  TarHeader view() const { return TarHeader({bytes.data(), bytes.size()}); }
};

Error TarReader::wrong(std::string_view problem) const {
  return {ErrorCode::InvalidRequest,
          fmt::format("not a sound tar archive: {} (member {})", problem, members_ + 1)};
}

// False at the end of the archive.
Result<bool> TarReader::read_header(Header& header) {
  COVE_ASSIGN(const std::size_t n, read_fully(source_, header.bytes));
  if (n == 0) return false;
  if (n < kTarBlock) return Err(wrong("it ends in the middle of a header"));
  if (header.view().is_zero()) return false;
  if (!header.view().is_sound()) return Err(wrong("the checksum of a header is wrong"));
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
    const auto record = take_pax_record(text);
    if (!record) return Err(wrong("a PAX record has a wrong length or no value"));
    const auto [key, value] = *record;
    if (key == "path") {
      extensions.path = std::string(value);
    } else if (key == "linkpath") {
      extensions.link = std::string(value);
    } else if (key == "size") {
      extensions.size = pax_number(value);
      if (!extensions.size) return Err(wrong("a PAX size is not a number"));
    } else if (key == "mtime") {
      extensions.mtime = seconds_of(value);
      if (!extensions.mtime) return Err(wrong("a PAX time is not a number"));
    } else if (key.starts_with("GNU.sparse.")) {
      return Err(wrong("sparse files are not supported"));
    }
  }
  return {};
}

Result<> TarReader::read_extension(const Header& header, Extensions& extensions) {
  const auto size = header.view().number(kTarSize);
  if (!size || *size > kMaxExtension) return Err(wrong("an extension header is too long"));
  std::string text(static_cast<std::size_t>(*size), '\0');
  left_ = *size;
  padding_ = tar_padding(*size);
  COVE_ASSIGN(const std::size_t n, read_fully(source_, text));
  if (n < text.size()) return Err(wrong("it ends in the middle of an extension header"));
  left_ = 0;
  COVE_TRY(skip_content());
  const auto once = [&](bool& seen) -> Result<> {
    if (std::exchange(seen, true)) return Err(wrong("an extension header is repeated"));
    return {};
  };
  switch (header.view().type()) {
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
    if (header.view().type() == 'g' && ++globals > 16) return Err(wrong("too many global headers"));
    if (!header.view().is_extension()) return true;
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
  member.path = extensions.path ? *extensions.path : header.view().name();
  member.link = extensions.link ? *extensions.link : header.view().text(kTarLink);
  const auto mode = header.view().number(kTarMode);
  const auto size = extensions.size ? extensions.size : header.view().number(kTarSize);
  const auto mtime = header.view().number(kTarTime);
  if (!mode || !size || *size > kMostSize) return Err(wrong("a number in a header is wrong"));
  member.mode = static_cast<std::uint32_t>(*mode & 07777U);
  // A time before 1970 is of no use to anybody here.
  member.mtime = extensions.mtime.value_or(static_cast<std::int64_t>(mtime.value_or(0)));
  COVE_ASSIGN(member.kind, kind_of(header.view().type(), member.path));
  if (member.kind != TarKind::File && *size != 0) {
    return Err(wrong("a member without content claims to have some"));
  }
  if (member.path.empty() || member.path.size() > kMaxName || member.link.size() > kMaxName ||
      member.path.find('\0') != std::string::npos || member.link.find('\0') != std::string::npos) {
    return Err(wrong("a name is empty, longer than 4096 bytes, or has a NUL in it"));
  }
  member.size = left_ = *size;
  padding_ = tar_padding(*size);
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
