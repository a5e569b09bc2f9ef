#pragma once
#include <chrono>
#include <optional>
#include <string>

namespace cove {

// How long all steps of a compilation may take together, from when it was made.
class CompileBudget {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CompileBudget(std::optional<std::chrono::milliseconds> most) : most_(most) {}

  std::optional<Clock::time_point> until() const;
  // For a step whose own limit is `own`: that, or what is left, 1 ms at least.
  std::chrono::milliseconds for_step(std::chrono::milliseconds own) const;
  std::string describe() const;  // "1 min"; only where there is a limit

 private:
  std::optional<std::chrono::milliseconds> most_;
  Clock::time_point started_ = Clock::now();
};

}  // namespace cove
