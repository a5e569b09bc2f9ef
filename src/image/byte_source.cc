#include "image/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/parse_size.h"

namespace cove {

Result<std::size_t> read_fully(ByteSource& source, std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    COVE_ASSIGN(const std::size_t n, source.read(into.subspan(done)));
    if (n == 0) break;
    done += n;
  }
  return done;
}

Result<std::string> read_all(ByteSource& source, std::uint64_t limit, std::string_view what) {
  std::string out;
  std::array<char, 16384> chunk{};
  for (;;) {
    COVE_ASSIGN(const std::size_t n, source.read(chunk));
    if (n == 0) return out;
    if (out.size() + n > limit) {
      return Err(Error(ErrorCode::TooLarge,
                       fmt::format("{} is larger than {}", what, format_size(Bytes{limit}))));
    }
    out.append(chunk.data(), n);
  }
}

Result<> drain(ByteSource& source) {
  std::array<char, 65536> chunk{};
  for (;;) {
    COVE_ASSIGN(const std::size_t n, source.read(chunk));
    if (n == 0) return {};
  }
}

Result<std::size_t> FdSource::read(std::span<char> into) {
  for (;;) {
    const ssize_t n = ::read(fd_.get(), into.data(), into.size());
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return Err(Error::from_errno("reading the archive"));
  }
}

Result<std::size_t> MemorySource::read(std::span<char> into) {
  const std::size_t n = std::min(into.size(), bytes_.size() - at_);
  if (n > 0) std::memcpy(into.data(), bytes_.data() + at_, n);
  at_ += n;
  return n;
}

Result<std::size_t> HashingSource::read(std::span<char> into) {
  COVE_ASSIGN(const std::size_t n, inner_.read(into));
  hash_.update({into.data(), n});
  return n;
}

}  // namespace cove
