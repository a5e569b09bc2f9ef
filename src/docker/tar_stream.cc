#include "docker/tar_stream.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/tar_header.h"

namespace cove {

namespace {

// A file of more than this is no file that anybody has.
constexpr std::uint64_t kMostBytes = 1ULL << 50U;

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

}  // namespace

void TarWriter::long_text(char type, std::string_view text) {
  entry("././@LongLink", {.size = text.size() + 1, .mode = 0, .type = type, .link = {}});
  archive_ += text;
  archive_ += '\0';
  pad();
}

void TarWriter::entry(std::string_view name, const Meta& meta) {
  if (meta.link.size() > kTarLink.size) long_text('K', meta.link);
  if (name.size() > kTarName.size) long_text('L', name);
  std::string block(kTarBlock, '\0');
  const auto put = [&block](TarField field, std::string_view text) {
    std::ranges::copy(text.substr(0, field.size), block.begin() + static_cast<long>(field.at));
  };
  put(kTarName, name);
  put(kTarMode, fmt::format("{:07o}", meta.mode));
  put(kTarOwner, "0000000");  // the owner and the group: whoever unpacks it
  put(kTarGroup, "0000000");
  put(kTarSize, fmt::format("{:011o}", meta.size));
  // Some programs refuse files from 1970.
  put(kTarTime, fmt::format("{:011o}", std::time(nullptr)));
  block[kTarType] = meta.type;
  put(kTarLink, meta.link);
  put(kTarMagic, "ustar ");  // as GNU writes it, which goes with its long names
  block[263] = ' ';
  put(kTarChecksum, fmt::format("{:06o}", tar_checksum(block)));
  block[kTarChecksum.at + 7] = ' ';
  archive_ += block;
}

void TarWriter::pad() {
  const std::size_t over = archive_.size() % kTarBlock;
  if (over > 0) archive_.append(kTarBlock - over, '\0');
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
  archive_.append(2 * kTarBlock, '\0');
  return std::exchange(archive_, {});
}

Err TarStreamReader::broken(std::string_view problem) {
  state_ = State::Broken;
  return Err(Error(ErrorCode::Internal, fmt::format("the archive of output files {}", problem)));
}

void TarStreamReader::begin(State state, std::uint64_t size) {
  state_ = state;
  left_ = size;
  padding_ = tar_padding(size);
  if (left_ == 0) state_ = State::Padding;
  if (state_ == State::Padding && padding_ == 0) state_ = State::Header;
}

Result<> TarStreamReader::header() {
  const TarHeader head({block_.data(), block_.size()});
  if (head.is_zero()) {
    state_ = State::Ended;
    return {};
  }
  if (!head.is_sound()) return broken("has a header with a wrong checksum");
  if (++entries_ > limits_.entries) return broken("has too many entries");
  auto size = head.number(kTarSize);
  if (!size) return broken("has an entry without a proper size");
  if (head.is_extension()) {
    if (*size > limits_.name_bytes) return broken("has a name that is too long");
    extension_type_ = head.type();
    extension_.clear();
    begin(State::Extension, *size);
    if (*size == 0) return extension_done();
    return {};
  }
  if (std::exchange(has_next_size_, false)) size = next_size_;
  TarEntry entry;
  entry.kind = kind_of(head.type());
  entry.name = std::exchange(next_name_, {});
  entry.link = std::exchange(next_link_, {});
  if (entry.name.empty()) entry.name = head.name();
  if (entry.link.empty()) entry.link = head.text(kTarLink);
  // Of the others, a size means nothing, or is that of what the link names.
  if (entry.kind != TarEntry::Kind::File && entry.kind != TarEntry::Kind::Other) size = 0;
  if (*size > kMostBytes) return broken("has an entry that is too large");
  entry.size = *size;
  begin(State::Content, *size);
  receiver_.on_entry(entry);
  return {};
}

Result<> TarStreamReader::take_pax() {
  std::string_view rest = extension_;
  while (!rest.empty() && rest.front() != '\0') {
    const auto record = take_pax_record(rest);
    if (!record) return broken("has a malformed pax header");
    if (record->key == "path") next_name_ = std::string(record->value);
    if (record->key == "linkpath") next_link_ = std::string(record->value);
    if (record->key != "size") continue;
    const auto size = pax_number(record->value);
    if (!size) return broken("has a malformed pax header");
    next_size_ = *size;
    has_next_size_ = true;
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
      const std::size_t take = std::min(kTarBlock - filled_, bytes.size());
      std::ranges::copy(bytes.substr(0, take), block_.begin() + static_cast<long>(filled_));
      filled_ += take;
      bytes.remove_prefix(take);
      if (filled_ < kTarBlock) continue;
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
