#include "net/remote_notes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_duration.h"
#include "base/strings.h"
#include "cli/run_notes.h"
#include "engine/job.h"
#include "model/names.h"
#include "model/policy_codec.h"

namespace cove {

namespace {

using std::chrono::milliseconds;

// What bounds a run on a server.
struct ServerBounds {
  BackendCapabilities capabilities;
  std::optional<milliseconds> default_timeout;
  std::optional<milliseconds> max_timeout;
  std::optional<Bytes> max_memory;
  std::optional<Bytes> max_disk;
  std::optional<Bytes> max_output;
  std::optional<std::uint32_t> max_processes;
};

Result<LimitReach> read_reach(JsonFields& fields, std::string_view name) {
  std::string text;
  COVE_TRY(fields.read(name, text));
  return from_name<LimitReach>(text).value_or(LimitReach::None);
}

// What the named backend enforces; without a name, what the server's own does.
Result<const json::value*> find_enforced(JsonFields& fields, const std::string& backend) {
  COVE_TRY(fields.require("enforces"));
  const json::value* found = fields.find("enforces");
  if (backend.empty()) return found;
  COVE_TRY(fields.require("backends"));
  COVE_ASSIGN(const json::array* list, json_array(*fields.find("backends"), "backends"));
  for (const json::value& each : *list) {
    COVE_ASSIGN(JsonFields item, JsonFields::of(each, "backends"));
    std::string name;
    COVE_TRY(item.read("name", name));
    if (name != backend) continue;
    COVE_TRY(item.require("enforces"));
    return item.find("enforces");
  }
  return found;
}

Result<ServerBounds> read_bounds(const json::value& value, const std::string& backend) {
  ServerBounds out;
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  COVE_TRY(fields.require("limits"));
  COVE_ASSIGN(const json::value* enforced, find_enforced(fields, backend));
  COVE_ASSIGN(JsonFields enforces, JsonFields::of(*enforced, "enforces"));
  COVE_ASSIGN(out.capabilities.memory, read_reach(enforces, "memory"));
  COVE_ASSIGN(out.capabilities.processes, read_reach(enforces, "processes"));
  COVE_ASSIGN(JsonFields limits, JsonFields::of(*fields.find("limits"), "limits"));
  const auto number = [&limits](std::string_view name) -> Result<std::optional<std::int64_t>> {
    std::optional<std::int64_t> found;
    COVE_TRY(limits.read(name, found));
    if (found && *found <= 0) return std::optional<std::int64_t>();
    return found;
  };
  const auto size = [&number](std::string_view name, std::optional<Bytes>& target) -> Result<> {
    COVE_ASSIGN(const auto found, number(name));
    if (found) target = Bytes{static_cast<std::uint64_t>(*found)};
    return {};
  };
  const auto time = [&number](std::string_view name,
                              std::optional<milliseconds>& target) -> Result<> {
    COVE_ASSIGN(const auto found, number(name));
    if (found) target = milliseconds(*found);
    return {};
  };
  COVE_TRY(time("default_timeout_ms", out.default_timeout));
  COVE_TRY(time("max_timeout_ms", out.max_timeout));
  COVE_TRY(size("max_memory_bytes", out.max_memory));
  COVE_TRY(size("max_disk_bytes", out.max_disk));
  COVE_TRY(size("max_output_bytes", out.max_output));
  COVE_ASSIGN(const auto processes, number("max_processes"));
  if (processes && std::in_range<std::uint32_t>(*processes)) {
    out.max_processes = static_cast<std::uint32_t>(*processes);
  }
  return out;
}

// The policy that the server used: one of its presets, or the request's own.
Result<SandboxPolicy> policy_of(Client& client, const ExecutionRequest& request, PolicyForm form) {
  if (form == PolicyForm::Whole) return request.policy;
  COVE_ASSIGN(const json::value listed, client.policies());
  COVE_ASSIGN(JsonFields fields, JsonFields::of(listed, ""));
  std::string wanted = request.policy.name;
  if (form == PolicyForm::ServerDefault) COVE_TRY(fields.read("default", wanted));
  COVE_TRY(fields.require("policies"));
  COVE_ASSIGN(const json::array* presets, json_array(*fields.find("policies"), "policies"));
  for (const json::value& preset : *presets) {
    COVE_ASSIGN(SandboxPolicy policy, decode_policy(preset, "policies"));
    if (policy.name == wanted) return policy;
  }
  return Err(Error(ErrorCode::NotFound, "the server does not list the policy " + quoted(wanted)));
}

template <class T>
void bound(std::optional<T>& target, const T& decided, const std::optional<T>& most) {
  target = most ? std::min(decided, *most) : decided;
}

// The request with every figure as the server applied it.
void apply(const ServerBounds& bounds, const Limits& profile_limits, ExecutionRequest& request) {
  const ResolvedLimits limits =
      resolve_limits(request.limits, request.policy.limits, profile_limits);
  bound(request.limits.memory, limits.memory, bounds.max_memory);
  bound(request.limits.disk, limits.disk, bounds.max_disk);
  bound(request.limits.processes, limits.processes, bounds.max_processes);
  bound(request.limits.stdout_bytes, limits.stdout_bytes, bounds.max_output);
  bound(request.limits.stderr_bytes, limits.stderr_bytes, bounds.max_output);
  const milliseconds policy = request.policy.timeout;
  const milliseconds usual =
      policy == SandboxPolicy().timeout ? bounds.default_timeout.value_or(policy) : policy;
  bound(request.timeout, request.timeout.value_or(usual), bounds.max_timeout);
}

// Without figures: what a server did not say is not made up.
std::vector<std::string> bare_notes(const ExecutionResult& result) {
  std::vector<std::string> notes;
  const bool cpu_ended =
      std::ranges::find(result.limits_hit, LimitHit::Cpu) != result.limits_hit.end();
  if (result.status == ExecutionStatus::Timeout && !cpu_ended) {
    notes.emplace_back("stopped by the timeout");
  }
  if (result.status == ExecutionStatus::Oom) notes.emplace_back("out of memory");
  if (ended_by_stop(result.status, result.notes)) {
    notes.emplace_back("the server is stopping and has ended the program");
  } else if (result.status == ExecutionStatus::Cancelled) {
    notes.emplace_back("cancelled");
  }
  if (result.status == ExecutionStatus::Failed && result.signal) {
    notes.push_back("the program was killed by " + *result.signal);
  }
  for (const LimitHit hit : result.limits_hit) {
    if (hit == LimitHit::Memory && result.status == ExecutionStatus::Oom) continue;
    if (hit == LimitHit::Output) continue;
    notes.push_back(fmt::format("the limit of {} was reached", name_of(hit)));
  }
  if (result.stdout_truncated) notes.emplace_back("stdout was cut");
  if (result.stderr_truncated) notes.emplace_back("stderr was cut");
  return notes;
}

// Raising a timeout that is the server's maximum is no help.
std::string timeout_advice(const ServerBounds& bounds, const ExecutionRequest& sent,
                           const ExecutionRequest& applied) {
  if (!bounds.max_timeout || applied.timeout != bounds.max_timeout) return "";
  if (sent.timeout && *sent.timeout > *bounds.max_timeout) {
    return fmt::format(", the most that this server allows; --timeout {} was lowered to it",
                       format_duration(*sent.timeout));
  }
  return ", the most that this server allows";
}

}  // namespace

bool ended_by_stop(ExecutionStatus status, const std::vector<std::string>& notes) {
  return status == ExecutionStatus::Cancelled &&
         std::ranges::find(notes, kServerStopping) != notes.end();
}

std::vector<std::string> remote_run_notes(Client& client, const ExecutionRequest& request,
                                          const RemoteContext& context,
                                          const Limits& profile_limits,
                                          const ExecutionResult& result) {
  // Limits for each process are those of which a program may complain without the kernel's word.
  BackendCapabilities weakest;
  weakest.memory = LimitReach::PerProcess;
  weakest.processes = LimitReach::PerUser;
  if (run_notes(request, result, profile_limits, weakest).empty()) return {};
  if (result.status == ExecutionStatus::Cancelled) return bare_notes(result);

  ExecutionRequest applied = request;
  const auto known = [&]() -> Result<ServerBounds> {
    COVE_ASSIGN(applied.policy, policy_of(client, request, context.policy));
    COVE_ASSIGN(const json::value capabilities, client.capabilities());
    return read_bounds(capabilities, context.backend);
  }();
  std::vector<std::string> notes;
  if (known) {
    apply(*known, profile_limits, applied);
    notes = run_notes(applied, result, profile_limits, known->capabilities,
                      timeout_advice(*known, request, applied));
  } else {
    notes = bare_notes(result);
  }
  for (std::string& note : notes) note = escape_file_name(note);
  return notes;
}

}  // namespace cove
