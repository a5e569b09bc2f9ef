#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/caller.h"

namespace cove {

// Decides which job runs next: pure bookkeeping, without threads and clocks of its own. Callers
// take turns, one job each; a caller's own jobs keep their order.
//
// At most `max_jobs` run, at most `max_queue` wait. A caller of whom nothing waits may still queue
// one job when others have filled the queue, so that the busy do not shut out the rest; what waits
// is then bounded by max_queue and the number of callers.
class Admission {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Refusal : unsigned char { QueueFull, Rate };

  Admission(unsigned max_jobs, std::size_t max_queue)
      : max_jobs_(max_jobs), max_queue_(max_queue) {}

  // Nothing: the job was taken and will come out of next(), perhaps at once.
  std::optional<Refusal> submit(const std::string& id, const Caller& caller, Time now);

  // A job that may start now; it counts as running from its promotion on, until finish().
  std::optional<std::string> next();
  void finish(std::string_view id);
  // Takes a job back that was not given out by next(). False: it was, or is not known.
  bool remove(std::string_view id);

  std::size_t waiting() const { return waiting_; }
  std::size_t running() const { return running_; }
  // How long until this caller's rate allows a submission again.
  std::chrono::duration<double> rate_wait(std::string_view caller, Time now) const;

 private:
  struct Seat {
    std::deque<std::string> waiting;
    unsigned running = 0;
    CallerLimits limits;
    double tokens = 0;
    Time refilled;
    bool may_run() const { return limits.concurrency == 0 || running < limits.concurrency; }
  };

  bool take_token(Seat& seat, Time now) const;
  void promote();
  void forget_if_idle(const std::string& caller);

  unsigned max_jobs_;
  std::size_t max_queue_;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
  std::map<std::string, Seat, std::less<>> seats_;
  std::list<std::string> turns_;  // callers with waiting jobs; the front is next
  std::deque<std::string> ready_;
  std::map<std::string, std::string, std::less<>> owners_;  // of every job that is here
};

}  // namespace cove
