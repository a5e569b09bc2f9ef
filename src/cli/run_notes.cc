#include "cli/run_notes.h"

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_size.h"

namespace cove {

namespace {

std::string limit_note(LimitHit hit, const ResolvedLimits& limits) {
  switch (hit) {
    case LimitHit::Memory:
      return fmt::format("memory limit of {} reached; raise it with --memory",
                         format_size(limits.memory));
    case LimitHit::Pids:
      return fmt::format("limit of {} processes reached; raise it with --pids", limits.processes);
    case LimitHit::Disk:
      return fmt::format("disk limit of {} reached; raise it with --disk",
                         format_size(limits.disk));
    case LimitHit::Cpu:
      if (!limits.cpu_time) return "cpu limit reached";
      return fmt::format("cpu time limit of {} reached; raise it with --cpu-time",
                         format_duration(*limits.cpu_time));
    case LimitHit::Output:
      break;  // said for each stream
  }
  return {};
}

}  // namespace

std::vector<std::string> run_notes(const ExecutionRequest& request, const ExecutionResult& result,
                                   const Limits& profile_limits) {
  const ResolvedLimits limits =
      resolve_limits(request.limits, request.policy.limits, profile_limits);
  std::vector<std::string> notes;
  if (result.status == ExecutionStatus::Timeout) {
    notes.push_back(fmt::format("stopped after {} (timeout); raise it with --timeout",
                                format_duration(request.timeout.value_or(request.policy.timeout))));
  }
  if (result.status == ExecutionStatus::Oom) {
    notes.push_back(fmt::format("out of memory (limit {}); raise it with --memory",
                                format_size(limits.memory)));
  }
  if (result.status == ExecutionStatus::Cancelled) notes.emplace_back("cancelled");
  if (result.status == ExecutionStatus::Failed && result.signal) {
    notes.push_back("the program was killed by " + *result.signal);
  }
  for (const LimitHit hit : result.limits_hit) {
    if (hit == LimitHit::Memory && result.status == ExecutionStatus::Oom) continue;
    if (std::string note = limit_note(hit, limits); !note.empty()) notes.push_back(std::move(note));
  }
  if (result.stdout_truncated) {
    notes.push_back("stdout was cut at " + format_size(limits.stdout_bytes));
  }
  if (result.stderr_truncated) {
    notes.push_back("stderr was cut at " + format_size(limits.stderr_bytes));
  }
  return notes;
}

}  // namespace cove
