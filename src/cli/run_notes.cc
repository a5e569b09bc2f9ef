#include "cli/run_notes.h"

#include <algorithm>
#include <string_view>

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

// Without a control group the kernel refuses a process what goes past a limit and tells nobody.
// What the program says about it is a hint, no more.
std::string likely_limit(const ExecutionResult& result, const ResolvedLimits& limits,
                         const BackendCapabilities& capabilities) {
  const auto says = [&](std::string_view text) {
    return result.stderr_data.find(text) != std::string::npos;
  };
  if (capabilities.memory == LimitReach::PerProcess &&
      (says("MemoryError") || says("Cannot allocate memory") || says("out of memory"))) {
    return fmt::format("perhaps the memory limit of {} for each process; raise it with --memory",
                       format_size(limits.memory));
  }
  // A control group of the memory counts refused forks, too.
  if (capabilities.memory != LimitReach::Tree && capabilities.processes != LimitReach::None &&
      says("Resource temporarily unavailable")) {
    return fmt::format("perhaps the limit of {} processes; raise it with --pids", limits.processes);
  }
  return {};
}

}  // namespace

std::vector<std::string> run_notes(const ExecutionRequest& request, const ExecutionResult& result,
                                   const Limits& profile_limits,
                                   const BackendCapabilities& capabilities,
                                   std::string_view timeout_advice) {
  const ResolvedLimits limits =
      resolve_limits(request.limits, request.policy.limits, profile_limits);
  std::vector<std::string> notes;
  if (result.compile || request.input) notes = result.notes;
  // A compiler that was stopped has limits of its own, and the note is among those.
  const bool ran = !result.compile ||
                   (!result.compile->steps.empty() && result.compile->steps.back().name == "run");
  if (!ran && (result.status != ExecutionStatus::Cancelled || !notes.empty())) return notes;
  // Processor time that is used up ends a run with the same status; its own line is below.
  const bool cpu_ended =
      std::ranges::find(result.limits_hit, LimitHit::Cpu) != result.limits_hit.end();
  if (result.status == ExecutionStatus::Timeout && !cpu_ended) {
    notes.push_back(
        fmt::format("stopped after {} (timeout){}",
                    format_duration(request.timeout.value_or(request.policy.timeout)),
                    timeout_advice.empty() ? "; raise it with --timeout" : timeout_advice));
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
  const bool said = !result.limits_hit.empty();
  if (result.status == ExecutionStatus::Failed && !said) {
    if (std::string note = likely_limit(result, limits, capabilities); !note.empty()) {
      notes.push_back(std::move(note));
    }
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
