#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256_stream.h"
#include "base/unique_fd.h"

namespace cove {

// Bytes in order, from wherever. Not thread-safe.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // At least one byte, or 0 at the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

// Fills `into` as far as there are bytes.
Result<std::size_t> read_fully(ByteSource& source, std::span<char> into);
// Everything that is left, at most `limit` bytes of it: past that, TooLarge that names `what`.
Result<std::string> read_all(ByteSource& source, std::uint64_t limit, std::string_view what);
// Reads to the end.
Result<> drain(ByteSource& source);

class FdSource final : public ByteSource {
 public:
  explicit FdSource(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<std::size_t> read(std::span<char> into) override;

 private:
  UniqueFd fd_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<char> into) override;

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// Passes on what `inner` gives, and computes its digest. Does not own it.
class HashingSource final : public ByteSource {
 public:
  explicit HashingSource(ByteSource& inner) : inner_(inner) {}
  Result<std::size_t> read(std::span<char> into) override;
  std::string digest() { return hash_.finish(); }

 private:
  ByteSource& inner_;
  Sha256Stream hash_;
};

// The bytes of `inner` without their compression, whatever it is: told by the first bytes, never by
// a name. gzip (also of several members) and none are understood; others are refused by name. Does
// not own `inner`. At most `limit` bytes come out: past that, TooLarge, which is how a bomb ends.
Result<std::unique_ptr<ByteSource>> uncompressed(ByteSource& inner, std::uint64_t limit);

}  // namespace cove
