#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/live_input.h"
#include "base/result.h"
#include "sandbox/guest.h"

namespace cove::sandbox {

struct Watch {
  std::chrono::steady_clock::time_point deadline;
  std::optional<std::chrono::microseconds> cpu_budget;  // of the whole tree, by the group's count
  std::stop_token cancel;
  std::string_view stdin_data;
  LiveInput* live = nullptr;  // what comes behind stdin_data; null: end of input
  std::function<void(std::string_view)> on_stdout;
  std::function<void(std::string_view)> on_stderr;
};

enum class EndReason : unsigned char { Exited, Deadline, Cancelled, OutOfMemory, CpuBudget, Lost };

// How a guest ended. `wait_status` is the kernel's word on the main process.
struct GuestEnd {
  EndReason reason = EndReason::Lost;
  std::optional<int> wait_status;
  std::chrono::microseconds cpu{0};
  std::uint64_t peak_bytes = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t refused_forks = 0;
  // The program could not even be started: the step that failed after the job was handed over.
  std::optional<std::uint32_t> failed_step;
  int failed_errno = 0;
};

// Feeds a started guest, reads what it writes, and ends it at the deadline, on cancellation or when
// its memory is used up. On return no process of the guest but its init is left, and that is
// ending.
Result<GuestEnd> supervise(Guest& guest, const Watch& watch);

}  // namespace cove::sandbox
