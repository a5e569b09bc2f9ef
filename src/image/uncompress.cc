// The compressions that an archive may have.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/parse_size.h"
#include "image/byte_source.h"

namespace cove {
namespace {

constexpr std::size_t kMagicSize = 6;
constexpr std::string_view kGzip("\x1f\x8b", 2);

struct Refused {
  std::string_view magic;
  std::string_view name;
  std::string_view command;
};
constexpr std::array<Refused, 3> kRefused = {{{"\x28\xb5\x2f\xfd", "zstd", "zstd -d"},
                                              {"BZh", "bzip2", "bzip2 -d"},
                                              {"\xfd"
                                               "7zXZ",
                                               "xz", "xz -d"}}};

Error bad_gzip(const char* problem) {
  return {ErrorCode::InvalidRequest, fmt::format("the gzip data is damaged: {}", problem)};
}

// Gives `head` back before the rest of `inner`, and stops at a limit.
class BoundedSource final : public ByteSource {
 public:
  BoundedSource(std::string head, ByteSource& inner, std::uint64_t limit)
      : head_(std::move(head)), inner_(inner), limit_(limit) {}

  Result<std::size_t> read(std::span<char> into) override {
    std::size_t n = std::min(into.size(), head_.size() - given_);
    if (n > 0) {
      std::memcpy(into.data(), head_.data() + given_, n);
      given_ += n;
    } else {
      COVE_ASSIGN(n, inner_.read(into));
    }
    if (n > limit_ - passed_) {
      return Err(Error(ErrorCode::TooLarge, fmt::format("it unpacks to more than {} (most_bytes)",
                                                        format_size(Bytes{limit_}))));
    }
    passed_ += n;
    return n;
  }

 private:
  std::string head_;
  std::size_t given_ = 0;
  ByteSource& inner_;
  std::uint64_t limit_;
  std::uint64_t passed_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {
    // 16: gzip only, with its checksum checked.
    ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (ready_) ::inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    if (!ready_) return Err(Error(ErrorCode::Internal, "zlib could not be started"));
    if (into.empty() || over_) return std::size_t{0};
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30U));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room && !over_) COVE_TRY(step());
    return static_cast<std::size_t>(room - stream_.avail_out);
  }

 private:
  Result<> step() {
    if (stream_.avail_in == 0) {
      COVE_ASSIGN(const std::size_t n, inner_->read(input_));
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream_.avail_in = static_cast<uInt>(n);
      if (n == 0) {
        if (!between_members_) return Err(bad_gzip("it ends too early"));
        over_ = true;
        return {};
      }
    }
    if (between_members_) {
      if (::inflateReset(&stream_) != Z_OK) return Err(bad_gzip("a further member cannot be read"));
      between_members_ = false;
    }
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;  // files made of several members are usual: pigz, eStargz
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return Err(bad_gzip(stream_.msg != nullptr ? stream_.msg : "unknown reason"));
    }
    return {};
  }

  std::unique_ptr<ByteSource> inner_;
  z_stream stream_{};
  std::array<char, 65536> input_{};
  bool ready_ = false;
  bool between_members_ = false;
  bool over_ = false;
};

// A bound on what comes out of a source that it owns.
class OwningBound final : public ByteSource {
 public:
  OwningBound(std::unique_ptr<ByteSource> inner, std::uint64_t limit)
      : inner_(std::move(inner)), bound_("", *inner_, limit) {}
  Result<std::size_t> read(std::span<char> into) override { return bound_.read(into); }

 private:
  std::unique_ptr<ByteSource> inner_;
  BoundedSource bound_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> uncompressed(ByteSource& inner, std::uint64_t limit) {
  std::string head(kMagicSize, '\0');
  COVE_ASSIGN(const std::size_t n, read_fully(inner, head));
  head.resize(n);
  for (const auto& refused : kRefused) {
    if (head.starts_with(refused.magic)) {
      return Err(Error(ErrorCode::InvalidRequest,
                       fmt::format("{} compression is not supported, only gzip and none: unpack it "
                                   "first with `{}`, or save the image with gzip layers",
                                   refused.name, refused.command)));
    }
  }
  const bool gzip = head.starts_with(kGzip);
  // What is compressed is never larger than what comes out of it by more than a few bytes a block.
  const std::uint64_t inner_limit = gzip ? limit + (limit >> 3U) + 65536 : limit;
  auto plain = std::make_unique<BoundedSource>(std::move(head), inner, inner_limit);
  if (!gzip) return std::unique_ptr<ByteSource>(std::move(plain));
  return std::unique_ptr<ByteSource>(
      std::make_unique<OwningBound>(std::make_unique<GzipSource>(std::move(plain)), limit));
}

}  // namespace cove
