#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// Takes a guest's frames apart: each is its length in decimal, a line feed, and that many bytes.
// Fed with foreign bytes; holds at most one frame of the largest size.
class FrameReader {
 public:
  static constexpr std::size_t kMaxFrame = 8U << 20U;

  // False once the bytes are not frames any more: nothing after that is looked at.
  bool feed(std::string_view bytes);
  // The next complete frame.
  std::optional<std::string> next();
  bool broken() const { return broken_; }

 private:
  // The length that stands at the front, once its line is complete.
  std::optional<std::size_t> length();

  std::string buffer_;
  std::size_t start_ = 0;  // of what was not taken yet
  bool broken_ = false;
};

// Cove's end of the socket to one interpreter of a session. Cove sends "VERB NUMBER LENGTH\n" and
// that many bytes; what comes back are frames. One thread at a time.
class ControlChannel {
 public:
  ControlChannel() = default;
  explicit ControlChannel(UniqueFd socket);

  // Sends the whole of it, with descriptors riding along, or fails at the deadline: an interpreter
  // that does not read must not hold us.
  Result<> send(std::string_view verb, std::uint64_t number, std::string_view body,
                std::span<const int> fds, std::chrono::steady_clock::time_point deadline);

  int fd() const { return socket_.get(); }
  // Reads what is there, without waiting. False when the other end is closed or sends rubbish.
  bool fill();
  std::optional<std::string> next() { return reader_.next(); }
  bool broken() const { return reader_.broken(); }

 private:
  UniqueFd socket_;
  FrameReader reader_;
};

}  // namespace cove
