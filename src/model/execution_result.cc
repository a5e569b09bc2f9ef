#include "model/execution_result.h"

#include <utility>

namespace cove {

Outcome outcome_of(ExecutionStatus status) {
  switch (status) {
    case ExecutionStatus::Success:
      return Outcome::Ok;
    case ExecutionStatus::Timeout:
      return Outcome::DeadlineExceeded;
    case ExecutionStatus::Failed:
    case ExecutionStatus::Oom:
    case ExecutionStatus::Cancelled:
    case ExecutionStatus::CompileFailed:
    case ExecutionStatus::Rejected:
      return Outcome::Failed;
  }
  std::unreachable();
}

std::string ExecutionResult::combined_output() const {
  if (stderr_data.empty()) return stdout_data;
  if (stdout_data.empty()) return stderr_data;
  return stdout_data + "\n--- stderr ---\n" + stderr_data;
}

}  // namespace cove
