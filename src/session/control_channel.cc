#include "session/control_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace cove {
namespace {

constexpr std::size_t kMaxDigits = 8;
constexpr std::size_t kMaxFds = 8;

using Clock = std::chrono::steady_clock;

Result<> wait_writable(int fd, Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd watch = {fd, POLLOUT, 0};
  const int ready = ::poll(&watch, 1, static_cast<int>(std::clamp<long>(left, 0, 600'000)));
  if (ready < 0 && errno != EINTR) return Err(Error::from_errno("poll"));
  if (ready == 0) {
    return Err(Error(ErrorCode::ExecutionFailed, "the session's interpreter does not listen"));
  }
  return {};
}

// The first bytes of a message, with its descriptors.
ssize_t send_with(int socket, std::string_view bytes, std::span<const int> fds) {
  iovec vector = {const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> control{};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(part), fds.data(), fds.size_bytes());
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

bool FrameReader::feed(std::string_view bytes) {
  if (broken_) return false;
  if (start_ > 0) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_ += bytes;
  static_cast<void>(length());  // rubbish is noticed at once, not when somebody asks
  return !broken_;
}

std::optional<std::size_t> FrameReader::length() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  const auto line = rest.substr(0, kMaxDigits + 1).find('\n');
  const std::string_view digits = rest.substr(0, std::min({line, rest.size(), kMaxDigits + 1}));
  std::size_t value = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool number = failed == std::errc() && end == digits.data() + digits.size();
  if (!digits.empty() && (!number || digits.size() > kMaxDigits || value > kMaxFrame)) {
    broken_ = true;
  }
  if (line == 0) broken_ = true;
  if (broken_ || line == std::string_view::npos) return std::nullopt;
  return value;
}

std::optional<std::string> FrameReader::next() {
  if (broken_) return std::nullopt;
  const auto size = length();
  if (!size) return std::nullopt;
  const std::size_t body = buffer_.find('\n', start_) + 1;
  if (buffer_.size() - body < *size) return std::nullopt;
  std::string frame = buffer_.substr(body, *size);
  start_ = body + *size;
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
  }
  return frame;
}

ControlChannel::ControlChannel(UniqueFd socket) : socket_(std::move(socket)) {
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
}

Result<> ControlChannel::send(std::string_view verb, std::uint64_t number, std::string_view body,
                              std::span<const int> fds, Clock::time_point deadline) {
  std::string bytes = fmt::format("{} {} {}\n", verb, number, body.size());
  bytes += body;
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t n = send_with(socket_.get(), left, fds);
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
      fds = {};
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) {
      return Err(Error::from_errno("speak to the session's interpreter"));
    }
    COVE_TRY(wait_writable(socket_.get(), deadline));
  }
  return {};
}

bool ControlChannel::fill() {
  std::array<char, 64 << 10> buffer{};
  const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n > 0) return reader_.feed({buffer.data(), static_cast<std::size_t>(n)});
  return n < 0 && (errno == EAGAIN || errno == EINTR);
}

}  // namespace cove
