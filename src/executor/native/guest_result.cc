#include "executor/native/guest_result.h"

#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace cove {
namespace {

void add_hit(ExecutionResult& result, LimitHit hit) {
  if (std::ranges::find(result.limits_hit, hit) == result.limits_hit.end()) {
    result.limits_hit.push_back(hit);
  }
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "SIG" + std::to_string(number);
}

void fill_exit(int wait_status, ExecutionResult& result) {
  if (WIFEXITED(wait_status)) {
    result.exit_code = WEXITSTATUS(wait_status);
    result.status = *result.exit_code == 0 ? ExecutionStatus::Success : ExecutionStatus::Failed;
    return;
  }
  const int number = WTERMSIG(wait_status);
  result.signal = signal_name(number);
  result.status = ExecutionStatus::Failed;
  if (number == SIGXCPU) add_hit(result, LimitHit::Cpu);
  if (number == SIGXFSZ) add_hit(result, LimitHit::Disk);
}

// Why a harness that ended well has left no value.
std::string missing_value_note(const ExecutionResult& result,
                               const boost::system::error_code& failed) {
  if (failed == boost::json::error::too_deep) {
    return "there is no value of run(input): it is nested too deeply";
  }
  if (result.stdout_truncated) {
    return "there is no value of run(input): stdout, which ends with it, was cut";
  }
  return "there is no value of run(input): the program ended before it returned one, or printed "
         "behind it";
}

}  // namespace

void fill_outcome(const sandbox::GuestEnd& end, ExecutionResult& result) {
  using sandbox::EndReason;
  result.usage.cpu = end.cpu;
  result.usage.peak_memory = Bytes{end.peak_bytes};
  if (end.refused_forks > 0) add_hit(result, LimitHit::Pids);
  switch (end.reason) {
    case EndReason::Exited:
      if (end.wait_status) fill_exit(*end.wait_status, result);
      break;
    case EndReason::Deadline:
      result.status = ExecutionStatus::Timeout;
      break;
    case EndReason::Cancelled:
      result.status = ExecutionStatus::Cancelled;
      break;
    case EndReason::CpuBudget:
      result.status = ExecutionStatus::Timeout;
      add_hit(result, LimitHit::Cpu);
      break;
    case EndReason::OutOfMemory:
      result.status = ExecutionStatus::Oom;
      break;
    case EndReason::Lost:
      result.status = ExecutionStatus::Failed;
      break;
  }
  result.killed = end.reason != EndReason::Exited;
  // Any kill for want of memory counts, even if the main process went on and ended well.
  const bool overrules = end.reason == EndReason::Exited || end.reason == EndReason::Lost;
  if (end.oom_kills > 0 && overrules) result.status = ExecutionStatus::Oom;
  if (result.status == ExecutionStatus::Oom) {
    result.oom = true;
    result.exit_code.reset();
    result.signal.reset();
    add_hit(result, LimitHit::Memory);
  }
}

bool is_unstartable_build(const sandbox::GuestEnd& end, const sandbox::SetupPlan& plan,
                          const Runtime& runtime) {
  if (!end.failed_step || *end.failed_step >= plan.steps().size()) return false;
  const bool is_exec = plan.steps()[*end.failed_step].kind == sandbox::StepKind::Exec;
  // EACCES speaks of the host: a directory on the way that is closed.
  return is_exec && runtime.interpreter.starts_with("{build}/") && end.failed_errno != EACCES;
}

void fill_unstartable(ExecutionResult& result) {
  constexpr int kCannotInvoke = 126;
  result.status = ExecutionStatus::Failed;
  result.exit_code = kCannotInvoke;
}

std::string unstartable_reason(const sandbox::GuestEnd& end) {
  return fmt::format("what was built cannot be started: {}\n",
                     std::generic_category().message(end.failed_errno));
}

bool disk_is_full(const sandbox::Guest& guest) {
  struct statvfs facts = {};
  if (::fstatvfs(guest.scratch.get(), &facts) != 0) return false;
  return facts.f_bfree == 0 || facts.f_ffree == 0;
}

void take_structured_output(ExecutionResult& result) {
  // A harness that fails has printed no value: the last line is the program's own.
  if (!result.is_success()) {
    result.display_stdout = result.stdout_data;
    return;
  }
  std::string_view text = result.stdout_data;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const auto line = text.rfind('\n');
  const auto last = line == std::string_view::npos ? text : text.substr(line + 1);
  boost::system::error_code failed;
  auto value = json::parse({last.data(), last.size()}, failed);
  if (failed) {
    result.status = ExecutionStatus::Failed;
    result.notes.push_back(missing_value_note(result, failed));
    result.display_stdout = result.stdout_data;
    return;
  }
  result.output = std::move(value);
  result.display_stdout = line == std::string_view::npos ? "" : std::string(text.substr(0, line));
}

}  // namespace cove
