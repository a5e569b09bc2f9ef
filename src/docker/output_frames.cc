#include "docker/output_frames.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

constexpr unsigned char kStdin = 0;  // an echo of what was sent: nothing to hand on
constexpr unsigned char kStderr = 2;
constexpr unsigned char kEngine = 3;

}  // namespace

Result<> OutputFrames::begin_frame() {
  stream_ = head_[0];
  if (stream_ > kEngine || head_[1] != 0 || head_[2] != 0 || head_[3] != 0) {
    broken_ = true;
    return Err(Error(ErrorCode::Internal,
                     fmt::format("the engine's output has a frame with the head {:02x}{:02x}{:02x}"
                                 "{:02x}; the first byte must be 0 to 3, the next three 0",
                                 head_[0], head_[1], head_[2], head_[3])));
  }
  left_ = (static_cast<std::uint32_t>(head_[4]) << 24U) |
          (static_cast<std::uint32_t>(head_[5]) << 16U) |
          (static_cast<std::uint32_t>(head_[6]) << 8U) | static_cast<std::uint32_t>(head_[7]);
  head_filled_ = 0;
  return {};
}

Result<> OutputFrames::feed(std::string_view bytes) {
  if (broken_) {
    return Err(Error(ErrorCode::Internal, "the engine's output was not understood before"));
  }
  while (!bytes.empty()) {
    if (left_ == 0) {
      const std::size_t take = std::min(kHeadSize - head_filled_, bytes.size());
      std::ranges::copy(bytes.substr(0, take), head_.begin() + static_cast<long>(head_filled_));
      head_filled_ += take;
      bytes.remove_prefix(take);
      if (head_filled_ == kHeadSize) COVE_TRY(begin_frame());
      continue;
    }
    const std::string_view piece = bytes.substr(0, left_);
    bytes.remove_prefix(piece.size());
    left_ -= static_cast<std::uint32_t>(piece.size());
    if (stream_ == kEngine) {
      complaint_ += piece.substr(0, kMaxComplaint - complaint_.size());
    } else if (stream_ != kStdin) {
      receiver_(stream_ == kStderr ? Stream::Stderr : Stream::Stdout, piece);
    }
  }
  return {};
}

Result<> OutputFrames::finish() const {
  if (!complaint_.empty()) {
    return Err(Error(ErrorCode::ExecutionFailed,
                     fmt::format("the engine says: {}", escape_file_name(complaint_))));
  }
  if (broken_ || left_ > 0 || head_filled_ > 0) {
    return Err(
        Error(ErrorCode::BackendUnavailable, "the engine's output broke off inside a frame"));
  }
  return {};
}

}  // namespace cove
