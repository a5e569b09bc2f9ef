#include "policy/explain.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "model/names.h"

namespace cove {
namespace {

std::string describe_network(NetworkPolicy network) {
  switch (network) {
    case NetworkPolicy::Disabled:
      return "disabled: no connection to anywhere";
    case NetworkPolicy::Enabled:
      return "enabled: the host's network";
    case NetworkPolicy::Unrestricted:
      return "unrestricted: nothing is asked";
  }
  std::unreachable();
}

std::string escaped_list(const std::vector<std::string>& items) {
  std::vector<std::string> shown;
  shown.reserve(items.size());
  for (const std::string& item : items) shown.push_back(escape_file_name(item));
  return shown.empty() ? "nothing" : join(shown, ", ");
}

std::string describe_filesystem(const FilesystemPolicy& policy) {
  switch (policy.kind) {
    case FilesystemPolicy::Kind::None:
      return "none: no host path but the runtime's own files";
    case FilesystemPolicy::Kind::WorkspaceReadOnly:
      return "workspace_read_only: " + escape_file_name(policy.root);
    case FilesystemPolicy::Kind::WorkspaceReadWrite:
      return "workspace_read_write: " + escape_file_name(policy.root);
    case FilesystemPolicy::Kind::Paths:
      return "paths: read " + escaped_list(policy.read_only) + "; write " +
             escaped_list(policy.read_write);
    case FilesystemPolicy::Kind::Unrestricted:
      return "unrestricted: nothing is asked";
  }
  std::unreachable();
}

std::string describe_environment(const EnvironmentPolicy& policy) {
  switch (policy.kind) {
    case EnvironmentPolicy::Kind::None:
      return "none: no variable of the host";
    case EnvironmentPolicy::Kind::AllowList:
      return "allow_list: " + escaped_list(policy.names);
    case EnvironmentPolicy::Kind::Unrestricted:
      return "unrestricted: nothing is asked";
  }
  std::unreachable();
}

std::string_view describe_reach(LimitReach reach) {
  switch (reach) {
    case LimitReach::None:
      return "not enforced here";
    case LimitReach::PerProcess:
      return "enforced, each process by itself";
    case LimitReach::PerUser:
      return "enforced, over the guest's user";
    case LimitReach::Tree:
      return "enforced, over the whole process tree";
  }
  std::unreachable();
}

// Collects the lines: aspect, what is asked, how it is held.
class Report {
 public:
  void line(std::string_view aspect, std::string_view asked, std::string_view how = {}) {
    if (how.empty()) {
      text_ += fmt::format("  {:<12} {}\n", aspect, asked);
    } else {
      text_ += fmt::format("  {:<12} {:<50} {}\n", aspect, asked, how);
    }
  }
  void heading(std::string_view text) { text_ += fmt::format("{}\n", text); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

struct AskedLimits {
  Limits request;
  Limits policy;
  Limits profile;
};

// "256 MiB (request)": who said so.
template <class T>
std::string with_origin(std::string_view text, const AskedLimits& asked, T Limits::* member) {
  const std::string_view origin = asked.request.*member   ? "request"
                                  : asked.policy.*member  ? "policy"
                                  : asked.profile.*member ? "language"
                                                          : "default";
  return fmt::format("{} ({})", text, origin);
}

void limit_lines(const AskedLimits& asked, const BackendCapabilities* capabilities,
                 Report& report) {
  const ResolvedLimits resolved = resolve_limits(asked.request, asked.policy, asked.profile);
  const auto line = [&](std::string_view aspect, std::string_view text, auto member,
                        LimitReach reach) {
    report.line(aspect, with_origin(text, asked, member),
                capabilities == nullptr ? std::string_view{} : describe_reach(reach));
  };
  const BackendCapabilities none;
  const BackendCapabilities& can = capabilities == nullptr ? none : *capabilities;
  const auto flag = [](bool holds) { return holds ? LimitReach::PerProcess : LimitReach::None; };
  line("memory", format_size(resolved.memory), &Limits::memory, can.memory);
  line("cpus", fmt::format("{}", resolved.cpus), &Limits::cpus,
       can.cpu == LimitReach::Tree ? LimitReach::Tree : LimitReach::None);
  if (resolved.cpu_time) {
    line("cpu time", format_duration(*resolved.cpu_time), &Limits::cpu_time, can.cpu);
  }
  line("processes", fmt::format("{}", resolved.processes), &Limits::processes, can.processes);
  line("disk", fmt::format("{}, {} inodes", format_size(resolved.disk), resolved.inodes),
       &Limits::disk, can.disk);
  line("descriptors", fmt::format("{}", resolved.descriptors), &Limits::descriptors,
       flag(can.descriptors));
  const std::string_view caps_hold = can.output_caps ? "enforced" : "not enforced here";
  report.line("output",
              fmt::format("{} stdout, {} stderr", format_size(resolved.stdout_bytes),
                          format_size(resolved.stderr_bytes)),
              capabilities == nullptr ? std::string_view{} : caps_hold);
  report.line("scope", name_of(resolved.scope));
}

void aspect_lines(const SandboxPolicy& policy, std::string_view timeout,
                  const BackendCapabilities* capabilities, Report& report) {
  const auto how = [&](bool asked, bool holds) -> std::string_view {
    if (capabilities == nullptr || !asked) return {};
    return holds ? "enforced" : "CANNOT BE ENFORCED";
  };
  const BackendCapabilities none;
  const BackendCapabilities& can = capabilities == nullptr ? none : *capabilities;
  report.line("network", describe_network(policy.network),
              how(policy.network == NetworkPolicy::Disabled, can.network));
  report.line("filesystem", describe_filesystem(policy.filesystem),
              how(policy.filesystem.kind != FilesystemPolicy::Kind::Unrestricted, can.filesystem));
  report.line(
      "environment", describe_environment(policy.environment),
      how(policy.environment.kind != EnvironmentPolicy::Kind::Unrestricted, can.environment));
  report.line("timeout", timeout, how(true, can.timeout));
  if (policy.working_directory) {
    report.line("directory", "/workspace/" + escape_file_name(*policy.working_directory));
  }
}

struct Verdict {
  std::vector<Refusal> refusals;
  std::vector<std::string> unenforced;  // defaults that nobody asked for
};

void conclusion(const Verdict& verdict, const BackendCapabilities& capabilities, Report& report) {
  for (const std::string& note : capabilities.notes) report.heading("note: " + note);
  if (!verdict.refusals.empty()) {
    report.heading("refused, before anything runs:");
    for (const Refusal& refusal : verdict.refusals) {
      report.heading(fmt::format("  - {}: {}{}{}", refusal.aspect, refusal.problem,
                                 refusal.hint.empty() ? "" : "; ", refusal.hint));
    }
    return;
  }
  report.heading("accepted: everything that is asked for will be enforced");
  if (verdict.unenforced.empty()) return;
  report.heading(fmt::format(
      "but these defaults are not enforced here (asking for one by name is refused): {}",
      join(verdict.unenforced, ", ")));
}

std::vector<Refusal> joined(std::vector<Refusal> refusals, const std::vector<Refusal>& further) {
  refusals.insert(refusals.end(), further.begin(), further.end());
  return refusals;
}

// `Unrestricted` is an absence of demands; what happens then is worth a word.
void filesystem_note(const SandboxPolicy& policy, const BackendCapabilities& capabilities,
                     Report& report) {
  if (policy.filesystem.kind == FilesystemPolicy::Kind::Unrestricted && capabilities.filesystem) {
    report.heading(
        "note: this backend keeps files private all the same: no host path is visible "
        "but the runtime's own files");
  }
}

std::string title(const SandboxPolicy& policy, const BackendCapabilities& capabilities) {
  return fmt::format("policy {} on backend {}, isolation {}", escape_file_name(policy.name),
                     capabilities.backend, capabilities.isolation);
}

}  // namespace

std::string explain_policy(const SandboxPolicy& policy, const BackendCapabilities& capabilities,
                           const std::vector<Refusal>& further) {
  Report report;
  report.heading(title(policy, capabilities));
  aspect_lines(policy, format_duration(policy.timeout), &capabilities, report);
  limit_lines({.request = {}, .policy = policy.limits, .profile = {}}, &capabilities, report);
  report.heading("(a language's profile may have its own defaults: cove run --explain shows them)");
  filesystem_note(policy, capabilities, report);
  conclusion({joined(policy_refusals(policy, capabilities), further),
              unenforced_defaults({}, policy.limits, capabilities)},
             capabilities, report);
  return report.take();
}

std::string explain_request(const ExecutionRequest& request,
                            const BackendCapabilities& capabilities, const Limits& profile,
                            const std::vector<Refusal>& further) {
  Report report;
  report.heading(title(request.policy, capabilities));
  const std::string timeout = request.timeout
                                  ? format_duration(*request.timeout) + " (request)"
                                  : format_duration(request.policy.timeout) + " (policy)";
  aspect_lines(request.policy, timeout, &capabilities, report);
  limit_lines({.request = request.limits, .policy = request.policy.limits, .profile = profile},
              &capabilities, report);
  filesystem_note(request.policy, capabilities, report);
  conclusion({joined(request_refusals(request, capabilities), further),
              unenforced_defaults(request.limits, request.policy.limits, capabilities)},
             capabilities, report);
  return report.take();
}

std::string describe_policy(const SandboxPolicy& policy) {
  Report report;
  report.heading(fmt::format("policy {}{}{}", escape_file_name(policy.name),
                             policy.description.empty() ? "" : ": ",
                             escape_file_name(policy.description)));
  aspect_lines(policy, format_duration(policy.timeout), nullptr, report);
  limit_lines({.request = {}, .policy = policy.limits, .profile = {}}, nullptr, report);
  return report.take();
}

}  // namespace cove
