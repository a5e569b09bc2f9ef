#pragma once
#include <stop_token>
#include <thread>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// While it lives, SIGINT and SIGTERM cancel the run instead of ending the process, so that guests
// and directories are cleaned up; a second one cancels `again`, for those who take their time after
// the first. SIGPIPE is turned into
// EPIPE. Uses handlers, not masks or SIG_IGN: those would be inherited by what we start.
// One at a time in a process.
class CancelOnSignal {
 public:
  static Result<CancelOnSignal> install(
      std::stop_source stop, std::stop_source again = std::stop_source(std::nostopstate));
  CancelOnSignal(CancelOnSignal&&) = default;
  CancelOnSignal& operator=(CancelOnSignal&&) = delete;
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;
  ~CancelOnSignal();

 private:
  CancelOnSignal() = default;

  UniqueFd wake_;  // an eventfd that the handler writes to
  std::jthread waiter_;
};

}  // namespace cove
