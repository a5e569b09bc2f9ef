#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

// Takes apart what a Docker engine sends for a process without a terminal: frames of eight bytes of
// head (the stream's number, three zeros, the length, big-endian) and that many bytes of output.
//
// The bytes come from a program that is not trusted, through an engine that may be broken: any
// split of them gives the same calls in sum, nothing is held but an unfinished head (and at most
// kMaxComplaint bytes of the engine's own words), and what is no frame is an error that ends it
// all.
class OutputFrames {
 public:
  enum class Stream : unsigned char { Stdout, Stderr };
  using Receiver = std::function<void(Stream, std::string_view)>;

  static constexpr std::size_t kMaxComplaint = 4096;

  explicit OutputFrames(Receiver receiver) : receiver_(std::move(receiver)) {}

  // The next bytes. After an error every call gives an error.
  Result<> feed(std::string_view bytes);
  // At the end of the connection: an error if it broke off inside a frame, or if the engine itself
  // had something to say (its stream number 3).
  Result<> finish() const;

 private:
  Result<> begin_frame();

  static constexpr std::size_t kHeadSize = 8;

  Receiver receiver_;
  std::array<unsigned char, kHeadSize> head_{};
  std::size_t head_filled_ = 0;
  std::uint32_t left_ = 0;    // of the current frame's output
  unsigned char stream_ = 0;  // of the current frame
  bool broken_ = false;
  std::string complaint_;
};

}  // namespace cove
