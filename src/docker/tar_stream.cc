#include "docker/tar_stream.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cove {

namespace {

constexpr std::size_t kBlockSize = 512;
// A file of more than this is no file that anybody has.
constexpr std::uint64_t kMostBytes = 1ULL << 50U;

// Where the fields of a header lie.
struct Field {
  std::size_t at;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kLink{157, 100};
constexpr Field kMagic{257, 6};
constexpr Field kPrefix{345, 155};

std::string text_of(std::string_view block, Field field) {
  const std::string_view raw = block.substr(field.at, field.size);
  return std::string(raw.substr(0, std::min(raw.find('\0'), raw.size())));
}

// Octal digits, or GNU's binary numbers. Negative ones and what does not fit give nothing.
std::optional<std::uint64_t> number_of(std::string_view block, Field field) {
  std::string_view raw = block.substr(field.at, field.size);
  std::uint64_t value = 0;
  if (static_cast<unsigned char>(raw[0]) == 0x80U) {
    for (const char c : raw.substr(1)) {
      if (value > (std::numeric_limits<std::uint64_t>::max() >> 8U)) return std::nullopt;
      value = (value << 8U) | static_cast<unsigned char>(c);
    }
    return value;
  }
  while (!raw.empty() && raw.front() == ' ') raw.remove_prefix(1);
  while (!raw.empty() && (raw.back() == '\0' || raw.back() == ' ')) raw.remove_suffix(1);
  for (const char c : raw) {
    if (c < '0' || c > '7') return std::nullopt;
    value = (value << 3U) | static_cast<unsigned>(c - '0');
  }
  return value;
}

std::uint64_t checksum_of(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    sum += own ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

TarEntry::Kind kind_of(char type) {
  switch (type) {
    case '0':
    case '\0':
    case '7':
      return TarEntry::Kind::File;
    case '1':
      return TarEntry::Kind::HardLink;
    case '2':
      return TarEntry::Kind::SymbolicLink;
    case '3':
    case '4':
      return TarEntry::Kind::Device;
    case '5':
      return TarEntry::Kind::Directory;
    case '6':
      return TarEntry::Kind::Fifo;
    default:
      return TarEntry::Kind::Other;
  }
}

bool is_extension(char type) {
  return type == 'L' || type == 'K' || type == 'x' || type == 'g';
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = (value * 10) + static_cast<unsigned>(c - '0');
  }
  return value;
}

}  // namespace

void TarWriter::long_text(char type, std::string_view text) {
  entry("././@LongLink", {.size = text.size() + 1, .mode = 0, .type = type, .link = {}});
  archive_ += text;
  archive_ += '\0';
  pad();
}

void TarWriter::entry(std::string_view name, const Meta& meta) {
  if (meta.link.size() > kLink.size) long_text('K', meta.link);
  if (name.size() > kName.size) long_text('L', name);
  std::string block(kBlockSize, '\0');
  const auto put = [&block](Field field, std::string_view text) {
    std::ranges::copy(text.substr(0, field.size), block.begin() + static_cast<long>(field.at));
  };
  put(kName, name);
  put(kMode, fmt::format("{:07o}", meta.mode));
  put({108, 8}, "0000000");  // the owner and the group: whoever unpacks it
  put({116, 8}, "0000000");
  put(kSize, fmt::format("{:011o}", meta.size));
  // Some programs refuse files from 1970.
  put({136, 12}, fmt::format("{:011o}", std::time(nullptr)));
  block[kType] = meta.type;
  put(kLink, meta.link);
  put(kMagic, "ustar ");  // as GNU writes it, which goes with its long names
  block[263] = ' ';
  put(kChecksum, fmt::format("{:06o}", checksum_of(block)));
  block[kChecksum.at + 7] = ' ';
  archive_ += block;
}

void TarWriter::pad() {
  const std::size_t over = archive_.size() % kBlockSize;
  if (over > 0) archive_.append(kBlockSize - over, '\0');
}

void TarWriter::directory(std::string_view name, unsigned mode) {
  entry(std::string(name) + "/", {.size = 0, .mode = mode, .type = '5', .link = {}});
}

void TarWriter::symbolic_link(std::string_view name, std::string_view target) {
  entry(name, {.size = 0, .mode = 0777, .type = '2', .link = target});
}

void TarWriter::file(std::string_view name, std::string_view content, unsigned mode) {
  entry(name, {.size = content.size(), .mode = mode, .type = '0', .link = {}});
  archive_ += content;
  pad();
}

std::string TarWriter::finish() {
  archive_.append(2 * kBlockSize, '\0');
  return std::exchange(archive_, {});
}

Err TarStreamReader::broken(std::string_view problem) {
  state_ = State::Broken;
  return Err(Error(ErrorCode::Internal, fmt::format("the archive of output files {}", problem)));
}

void TarStreamReader::begin(State state, std::uint64_t size) {
  state_ = state;
  left_ = size;
  padding_ = (kBlock - (size % kBlock)) % kBlock;
  if (left_ == 0) state_ = State::Padding;
  if (state_ == State::Padding && padding_ == 0) state_ = State::Header;
}

Result<> TarStreamReader::header() {
  const std::string_view block(block_.data(), block_.size());
  if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) {
    state_ = State::Ended;
    return {};
  }
  const auto said = number_of(block, kChecksum);
  if (!said || *said != checksum_of(block)) return broken("has a header with a wrong checksum");
  if (++entries_ > limits_.entries) return broken("has too many entries");
  auto size = number_of(block, kSize);
  const char type = block[kType];
  if (!size) return broken("has an entry without a proper size");
  if (is_extension(type)) {
    if (*size > limits_.name_bytes) return broken("has a name that is too long");
    extension_type_ = type;
    extension_.clear();
    begin(State::Extension, *size);
    if (*size == 0) return extension_done();
    return {};
  }
  if (std::exchange(has_next_size_, false)) size = next_size_;
  TarEntry entry;
  entry.kind = kind_of(type);
  entry.name = std::exchange(next_name_, {});
  entry.link = std::exchange(next_link_, {});
  if (entry.name.empty()) {
    entry.name = text_of(block, kName);
    // Only POSIX has the prefix; GNU keeps other things there.
    if (block.substr(kMagic.at, kMagic.size) == std::string_view("ustar\0", 6)) {
      const std::string prefix = text_of(block, kPrefix);
      if (!prefix.empty()) entry.name = prefix + "/" + entry.name;
    }
  }
  if (entry.link.empty()) entry.link = text_of(block, kLink);
  // Of the others, a size means nothing, or is that of what the link names.
  if (entry.kind != TarEntry::Kind::File && entry.kind != TarEntry::Kind::Other) size = 0;
  if (*size > kMostBytes) return broken("has an entry that is too large");
  entry.size = *size;
  begin(State::Content, *size);
  receiver_.on_entry(entry);
  return {};
}

// Records of "LENGTH KEY=VALUE\n", where the length counts itself.
Result<> TarStreamReader::take_pax() {
  std::string_view rest = extension_;
  while (!rest.empty() && rest.front() != '\0') {
    const std::size_t space = rest.find(' ');
    const auto length = decimal(rest.substr(0, std::min(space, rest.size())));
    if (!length || *length <= space + 1 || *length > rest.size()) {
      return broken("has a malformed pax header");
    }
    std::string_view record = rest.substr(space + 1, *length - space - 1);
    rest.remove_prefix(*length);
    if (!record.ends_with('\n')) return broken("has a malformed pax header");
    record.remove_suffix(1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return broken("has a malformed pax header");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") next_name_ = std::string(value);
    if (key == "linkpath") next_link_ = std::string(value);
    if (key == "size") {
      const auto size = decimal(value);
      if (!size) return broken("has a malformed pax header");
      next_size_ = *size;
      has_next_size_ = true;
    }
  }
  return {};
}

Result<> TarStreamReader::extension_done() {
  if (extension_type_ == 'x') return take_pax();
  if (extension_type_ == 'g') return {};  // defaults for all: nothing of it matters here
  const std::string text = extension_.substr(0, std::min(extension_.find('\0'), extension_.size()));
  (extension_type_ == 'L' ? next_name_ : next_link_) = text;
  return {};
}

Result<> TarStreamReader::feed(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::Ended) {
    if (state_ == State::Broken) {
      return Err(Error(ErrorCode::Internal, "the archive of output files was broken before"));
    }
    if (state_ == State::Header) {
      const std::size_t take = std::min(kBlock - filled_, bytes.size());
      std::ranges::copy(bytes.substr(0, take), block_.begin() + static_cast<long>(filled_));
      filled_ += take;
      bytes.remove_prefix(take);
      if (filled_ < kBlock) continue;
      filled_ = 0;
      COVE_TRY(header());
      continue;
    }
    if (state_ == State::Padding) {
      const std::size_t take = std::min(padding_, bytes.size());
      bytes.remove_prefix(take);
      padding_ -= take;
      if (padding_ == 0) state_ = State::Header;
      continue;
    }
    const std::string_view piece = bytes.substr(0, left_);
    bytes.remove_prefix(piece.size());
    left_ -= piece.size();
    const bool is_content = state_ == State::Content;
    if (left_ == 0) state_ = padding_ > 0 ? State::Padding : State::Header;
    if (is_content) {
      receiver_.on_content(piece);
      continue;
    }
    extension_ += piece;
    if (left_ == 0) COVE_TRY(extension_done());
  }
  return {};
}

Result<> TarStreamReader::finish() const {
  if (state_ == State::Ended) return {};
  return Err(Error(ErrorCode::Internal, "the archive of output files broke off"));
}

}  // namespace cove
