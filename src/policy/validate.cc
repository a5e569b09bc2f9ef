#include "policy/validate.h"

#include <iterator>
#include <string_view>

#include "model/names.h"
#include "model/policy_codec.h"
#include "model/request_codec.h"

namespace cove {
namespace {

constexpr std::string_view kIsolateOrTrust =
    "use a backend that isolates (native), or the policy host_local if the code is trusted";

void add_cannot_enforce(std::vector<Refusal>& out, std::string_view aspect, std::string_view what,
                        std::string_view hint) {
  out.push_back(
      {std::string(aspect), "backend cannot enforce " + std::string(what), std::string(hint)});
}

// The order is part of the contract: network, filesystem, environment, timeout.
void check_aspects(const SandboxPolicy& policy, const BackendCapabilities& capabilities,
                   std::vector<Refusal>& out) {
  if (policy.network == NetworkPolicy::Disabled && !capabilities.network) {
    add_cannot_enforce(out, "network", "network restrictions", kIsolateOrTrust);
  }
  if (policy.filesystem.kind != FilesystemPolicy::Kind::Unrestricted && !capabilities.filesystem) {
    add_cannot_enforce(out, "filesystem", "filesystem restrictions", kIsolateOrTrust);
  }
  if (policy.environment.kind != EnvironmentPolicy::Kind::Unrestricted &&
      !capabilities.environment) {
    add_cannot_enforce(out, "environment", "environment variable restrictions", kIsolateOrTrust);
  }
  if (!capabilities.timeout) {
    add_cannot_enforce(out, "timeout", "execution timeouts",
                       "every run has a timeout: use another backend (native)");
  }
}

// A limit, whether someone asked for it by name, and how far the backend's reaches.
struct LimitCheck {
  std::string_view aspect;
  std::string_view what;
  bool asked;
  LimitReach reach;
  bool needs_tree = false;  // a weaker reach would not be this limit at all
};

struct LimitFindings {
  std::vector<Refusal> refusals;
  std::vector<std::string> unenforced;  // defaults
};

void check_limit(const LimitCheck& limit, LimitScope scope, LimitFindings& out) {
  if (scope == LimitScope::Tree && limit.reach != LimitReach::Tree) {
    add_cannot_enforce(out.refusals, limit.aspect,
                       std::string(limit.what) + " over the whole process tree (scope \"tree\"; " +
                           "its reach here is \"" + std::string(name_of(limit.reach)) + "\")",
                       "set limits.scope to \"strongest\", or give Cove a writable cgroup "
                       "(`cove doctor` says how)");
    return;
  }
  const bool holds =
      limit.needs_tree ? limit.reach == LimitReach::Tree : limit.reach != LimitReach::None;
  if (holds) return;
  if (!limit.asked) {
    out.unenforced.emplace_back(limit.aspect);
    return;
  }
  add_cannot_enforce(out.refusals, limit.aspect, limit.what,
                     "leave out " + std::string(limit.aspect) +
                         ", or use a backend and host that have it (`cove doctor` says which)");
}

LimitFindings check_limits(const Limits& request, const Limits& policy,
                           const BackendCapabilities& capabilities) {
  LimitFindings out;
  const auto asked = [&](auto member) {
    return (request.*member).has_value() || (policy.*member).has_value();
  };
  const LimitScope scope = resolve_limits(request, policy, {}).scope;
  check_limit({"limits.memory", "memory limits", asked(&Limits::memory), capabilities.memory},
              scope, out);
  check_limit(
      {"limits.processes", "process limits", asked(&Limits::processes), capabilities.processes},
      scope, out);
  // A share of the processors is a property of a group; per process there is only processor time.
  check_limit({"limits.cpus", "cpu limits", asked(&Limits::cpus), capabilities.cpu, true}, scope,
              out);
  if (asked(&Limits::cpu_time)) {
    check_limit({"limits.cpu_time_ms", "cpu time limits", true, capabilities.cpu}, scope, out);
  }
  check_limit({"limits.disk", "disk limits", asked(&Limits::disk), capabilities.disk}, scope, out);
  if (asked(&Limits::inodes)) {
    check_limit({"limits.inodes", "limits on the number of files", true, capabilities.disk}, scope,
                out);
  }
  // These are per process, or per stream, by nature: the scope says nothing about them.
  const auto check_flag = [&](std::string_view aspect, std::string_view what, bool is_asked,
                              bool holds) {
    const LimitReach reach = holds ? LimitReach::PerProcess : LimitReach::None;
    check_limit({aspect, what, is_asked, reach}, LimitScope::Strongest, out);
  };
  check_flag("limits.descriptors", "limits on open files", asked(&Limits::descriptors),
             capabilities.descriptors);
  check_flag("limits.stdout_bytes", "output caps", asked(&Limits::stdout_bytes),
             capabilities.output_caps);
  check_flag("limits.stderr_bytes", "output caps", asked(&Limits::stderr_bytes),
             capabilities.output_caps);
  return out;
}

void append(std::vector<Refusal>& out, std::vector<Refusal> more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Result<> first_refusal(const std::vector<Refusal>& refusals,
                       const BackendCapabilities& capabilities) {
  if (refusals.empty()) return {};
  const Refusal& first = refusals.front();
  return Err(Error(ErrorCode::UnsupportedPolicy,
                   first.problem + " (" + first.aspect + "; backend \"" + capabilities.backend +
                       "\", isolation \"" + capabilities.isolation + "\"); " + first.hint));
}

}  // namespace

std::vector<Refusal> policy_refusals(const SandboxPolicy& policy,
                                     const BackendCapabilities& capabilities) {
  std::vector<Refusal> out;
  check_aspects(policy, capabilities, out);
  append(out, check_limits({}, policy.limits, capabilities).refusals);
  return out;
}

std::vector<Refusal> request_refusals(const ExecutionRequest& request,
                                      const BackendCapabilities& capabilities) {
  std::vector<Refusal> out;
  check_aspects(request.policy, capabilities, out);
  append(out, check_limits(request.limits, request.policy.limits, capabilities).refusals);
  return out;
}

std::vector<std::string> unenforced_defaults(const Limits& request, const Limits& policy,
                                             const BackendCapabilities& capabilities) {
  return check_limits(request, policy, capabilities).unenforced;
}

Result<> validate_policy(const SandboxPolicy& policy, const BackendCapabilities& capabilities) {
  COVE_TRY(validate_policy_values(policy, "policy"));
  return first_refusal(policy_refusals(policy, capabilities), capabilities);
}

Result<> validate_request(const ExecutionRequest& request,
                          const BackendCapabilities& capabilities) {
  COVE_TRY(validate_request_values(request));
  return first_refusal(request_refusals(request, capabilities), capabilities);
}

}  // namespace cove
