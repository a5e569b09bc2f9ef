#include "executor/container/container_outcome.h"

#include <signal.h>
#include <string.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

constexpr int kSignalBase = 128;
constexpr int kCannotInvoke = 126;
constexpr int kNotFound = 127;

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("SIG{}", number);
}

void fill_exit(int code, ExecutionResult& result) {
  result.status = code == 0 ? ExecutionStatus::Success : ExecutionStatus::Failed;
  if (code > kSignalBase && ::sigabbrev_np(code - kSignalBase) != nullptr) {
    result.signal = signal_name(code - kSignalBase);
  } else {
    result.exit_code = code;
  }
}

Error engine_error(const ContainerEnd& end) {
  // The last line but one is docker's "See 'docker run --help'."
  std::vector<std::string> lines;
  for (const std::string_view line : split(end.before_start, '\n')) {
    const std::string_view text = trim(line);
    if (!text.empty() && !text.starts_with("See '") && !text.starts_with("Run 'docker")) {
      lines.emplace_back(text);
    }
  }
  const std::string reason = lines.empty() ? "it gave no reason" : join(lines, "; ");
  if (end.client_exit == kNotFound || end.client_exit == kCannotInvoke) {
    return Error(ErrorCode::DependencyNotFound,
                 "the container's program cannot be started: " + reason);
  }
  return Error(ErrorCode::BackendUnavailable, "the engine started no container: " + reason);
}

}  // namespace

Result<> fill_container_outcome(const ContainerEnd& end, EngineKind kind, ExecutionResult& result) {
  using Reason = ContainerEnd::Reason;
  if (end.reason == Reason::NeverStarted) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     "the engine did not start the container in time (start_timeout)"));
  }
  if (end.reason == Reason::Timeout || end.reason == Reason::Cancelled) {
    result.status =
        end.reason == Reason::Timeout ? ExecutionStatus::Timeout : ExecutionStatus::Cancelled;
    result.killed = true;
    return {};
  }
  const bool known = end.state.died && end.state.exit_code.has_value();
  constexpr int kEngineFailed = 125;
  const bool client_failed = !end.client_exit || *end.client_exit >= kEngineFailed;
  if (!end.state.started && !known && client_failed) return Err(engine_error(end));
  const int code = known ? *end.state.exit_code : end.client_exit.value_or(-1);
  if (code < 0) {
    return Err(Error(ErrorCode::ExecutionFailed, "the container's exit code is not known"));
  }
  // Podman tells nothing of it. Nobody but the kernel sends the first process this signal: we did
  // not, and a program cannot kill the init of its container.
  const bool oom = end.state.oom || (kind == EngineKind::Podman && code == kSignalBase + SIGKILL);
  if (oom) {
    result.status = ExecutionStatus::Oom;
    result.oom = true;
    result.killed = true;
    result.limits_hit.push_back(LimitHit::Memory);
    return {};
  }
  fill_exit(code, result);
  return {};
}

bool is_missing_program(const ExecutionResult& result) {
  const std::string_view said = trim(result.stderr_data);
  if (!result.stdout_data.empty() || said.find('\n') != std::string_view::npos) return false;
  const bool tini = said.starts_with("[FATAL tini ") &&
                    (result.exit_code == kCannotInvoke || result.exit_code == kNotFound);
  return tini || (said.starts_with("ERROR (catatonit:") && result.exit_code == 1);
}

}  // namespace cove
