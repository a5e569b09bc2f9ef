#include "cli/exit_code.h"

#include <signal.h>
#include <string.h>

#include <charconv>

namespace cove {

std::optional<int> signal_number(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int number = 1; number < NSIG; ++number) {
    const char* const abbreviation = ::sigabbrev_np(number);
    if (abbreviation != nullptr && name == abbreviation) return number;
  }
  int base = 0;
  if (name.starts_with("RTMIN")) {  // real-time signals have no names of their own
    base = SIGRTMIN;
    name.remove_prefix(5);
    if (name.empty()) return base;
    if (name.front() == '+') name.remove_prefix(1);
  }
  int number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return base + number;
}

int exit_code_of(ExecutionStatus status, int failed) {
  switch (status) {
    case ExecutionStatus::Success:
      return 0;
    case ExecutionStatus::Timeout:
      return kExitTimeout;
    case ExecutionStatus::Oom:
      return kExitOom;
    case ExecutionStatus::Cancelled:
      return kExitCancelled;
    case ExecutionStatus::Rejected:
      return kExitRefused;
    case ExecutionStatus::CompileFailed:
    case ExecutionStatus::Failed:
      break;
  }
  return failed;
}

int exit_code_of(const ExecutionResult& result) {
  int failed = result.status == ExecutionStatus::CompileFailed ? 1 : kExitRefused;
  if (result.exit_code) {
    // Of run(input) that gave no value, though its program ended well.
    failed = *result.exit_code != 0 ? *result.exit_code : 1;
  } else if (result.signal && result.status == ExecutionStatus::Failed) {
    const auto number = signal_number(*result.signal);
    if (number) failed = kExitSignalBase + *number;
  }
  return exit_code_of(result.status, failed);
}

}  // namespace cove
