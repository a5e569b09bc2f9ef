#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/bench/samples.h"

namespace cove {

// Many keep-alive connections that send the same request over and over, each as soon as it has its
// answer (or a pause later): what a server does under load. One thread, no library between it and
// the sockets, so that little of what is measured is its own.
struct LoadPlan {
  std::string host = "127.0.0.1";  // an IPv4 address
  std::uint16_t port = 0;
  std::string path = "/execute";
  std::string body;
  std::string key;
  std::string expected;  // part of every right answer's body
  unsigned connections = 1;
  std::chrono::milliseconds warm_up{500};  // not counted
  std::chrono::milliseconds duration{5'000};
  std::chrono::milliseconds pause{0};  // between an answer and the next request
  // After a 429, in place of its Retry-After of whole seconds.
  std::chrono::milliseconds pause_when_busy{100};
};

struct LoadOutcome {
  Samples answered;         // right answers, in milliseconds
  std::size_t in_time = 0;  // of these, before the end: what the rate is made of
  std::size_t busy = 0;     // 429
  std::size_t wrong = 0;    // another status, or not what was expected
  std::size_t broken = 0;   // connections that failed or closed within a request
  std::size_t lost = 0;     // requests without an answer 30 s after the end
  double seconds = 0;
  std::string first_wrong;  // the start of the first such answer

  void add(const LoadOutcome& other);
  std::size_t errors() const { return wrong + broken + lost; }
  double per_second() const { return seconds > 0 ? static_cast<double>(in_time) / seconds : 0; }
};

Result<LoadOutcome> drive_load(const LoadPlan& plan);

}  // namespace cove
