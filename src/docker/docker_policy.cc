#include "docker/docker_policy.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"

namespace cove {

namespace {

using Kind = FilesystemPolicy::Kind;

Err refuse(std::string_view aspect, std::string_view problem) {
  return Err(Error(ErrorCode::UnsupportedPolicy,
                   fmt::format("{}: {} (backend \"docker\")", aspect, problem)));
}

// The bind mounts that a policy asks for, in the order of their targets.
std::vector<BindMount> mounts_for(const FilesystemPolicy& policy) {
  std::vector<BindMount> mounts;
  if (policy.kind == Kind::WorkspaceReadOnly || policy.kind == Kind::WorkspaceReadWrite) {
    mounts.push_back({policy.root, "/workspace", policy.kind == Kind::WorkspaceReadOnly});
  }
  if (policy.kind == Kind::Paths) {
    for (const std::string& path : policy.read_only) mounts.push_back({path, path, true});
    for (const std::string& path : policy.read_write) mounts.push_back({path, path, false});
  }
  std::ranges::sort(mounts, {}, &BindMount::target);
  return mounts;
}

Result<> check_mounts(const DockerOptions& options, const FilesystemPolicy& policy) {
  if (policy.kind == Kind::Unrestricted) return {};
  std::vector<BindMount> there = options.bind_mounts;
  std::ranges::sort(there, {}, &BindMount::target);
  const std::vector<BindMount> asked = mounts_for(policy);
  const auto same = [](const BindMount& a, const BindMount& b) {
    return a.source == b.source && a.target == b.target && a.read_only == b.read_only;
  };
  if (std::ranges::equal(there, asked, same)) return {};
  if (asked.empty()) {
    return refuse("filesystem",
                  fmt::format("the policy allows no host path, but the container was made with the "
                              "bind mount {}; name it in the policy (filesystem = \"paths\")",
                              quoted(there.front().source)));
  }
  return refuse(
      "filesystem",
      "the container was not made with exactly the host paths of the policy; make one with "
      "the same bind mounts (bind_mount)");
}

Result<> check_network(const DockerOptions& options, NetworkPolicy policy) {
  if (policy == NetworkPolicy::Disabled && !options.network_disabled) {
    return refuse("network", "the container was made with a network; make one without");
  }
  if (policy == NetworkPolicy::Enabled && options.network_disabled) {
    return refuse("network",
                  "the container was made without a network; with_network() gives it one");
  }
  return {};
}

template <class T>
std::optional<T> asked(const ExecutionRequest& request, std::optional<T> Limits::* member) {
  const auto& own = request.limits.*member;
  return own ? own : request.policy.limits.*member;
}

std::string text_of(Bytes size) {
  return format_size(size);
}
std::string text_of(double number) {
  return fmt::format("{}", number);
}
std::string text_of(std::uint32_t number) {
  return fmt::format("{}", number);
}

// Of the whole container: another figure would be a promise that its other executions break.
template <class T>
Result<> check_same(std::string_view aspect, const std::optional<T>& wanted, const T& there) {
  if (!wanted || *wanted == there) return {};
  return refuse(aspect, fmt::format("the container was made with {}, the request asks for {}; make "
                                    "one with that",
                                    text_of(there), text_of(*wanted)));
}

// Set for each execution.
Result<> check_at_most(std::string_view aspect, const std::optional<std::uint32_t>& wanted,
                       std::uint32_t most) {
  if (!wanted || *wanted <= most) return {};
  return refuse(
      aspect,
      fmt::format("the container was made for at most {}, the request asks for {}", most, *wanted));
}

// Where programs find what the host shares, a user of their own could not write. The owner can.
Result<std::optional<std::uint32_t>> owner_of(const std::vector<BindMount>& mounts) {
  std::optional<std::uint32_t> owner;
  for (const BindMount& mount : mounts) {
    if (mount.read_only) continue;
    struct stat facts = {};
    if (::stat(mount.source.c_str(), &facts) != 0) {
      return refuse("filesystem", fmt::format("{} does not exist here", quoted(mount.source)));
    }
    if (facts.st_uid == 0) {
      return refuse("filesystem",
                    fmt::format("{} belongs to root, as whom no program runs; give it "
                                "to another user",
                                quoted(mount.source)));
    }
    if (owner && *owner != facts.st_uid) {
      return refuse("filesystem", "the writable paths belong to different users");
    }
    owner = facts.st_uid;
  }
  return owner;
}

}  // namespace

BackendCapabilities docker_capabilities(const DockerOptions& options,
                                        const DockerEngineFacts& engine) {
  BackendCapabilities able;
  able.backend = "docker";
  const std::string runtime = options.runtime.empty() ? engine.runtime : options.runtime;
  able.isolation = runtime.empty() || runtime == "runc" ? "container" : "container/" + runtime;
  able.network = options.network_disabled;
  able.filesystem = true;
  able.environment = true;
  able.timeout = true;
  able.memory = engine.memory ? LimitReach::Tree : LimitReach::None;
  able.cpu = engine.cpus ? LimitReach::Tree : LimitReach::None;
  able.processes = LimitReach::PerUser;
  able.disk = LimitReach::Tree;
  able.descriptors = true;
  able.output_caps = true;
  able.per_request = false;
  able.notes.emplace_back(
      "executions share one container: its memory, processors and disk limits are for all of them "
      "together");
  able.notes.emplace_back("a program that exits with 128 + n looks as if signal n had ended it");
  if (!engine.memory) able.notes.emplace_back("the engine cannot limit memory on its host");
  if (engine.memory && !engine.swap) {
    able.notes.emplace_back("the engine cannot limit swap: memory beyond the limit may be swapped");
  }
  if (!options.network_disabled) {
    able.notes.emplace_back("opened: the container has the engine's default network");
  }
  for (const BindMount& mount : options.bind_mounts) {
    able.notes.push_back(fmt::format("opened: {} of the host is at {}, {}", mount.source,
                                     mount.target, mount.read_only ? "read-only" : "writable"));
  }
  if (options.user) {
    able.notes.push_back(
        fmt::format("opened: executions run as user {}, one at a time", *options.user));
  }
  return able;
}

Result<> check_container_fits(const DockerOptions& options, const ExecutionRequest& request) {
  COVE_TRY(check_network(options, request.policy.network));
  COVE_TRY(check_mounts(options, request.policy.filesystem));
  COVE_TRY(check_same("limits.memory", asked(request, &Limits::memory), options.memory));
  COVE_TRY(check_same("limits.cpus", asked(request, &Limits::cpus), options.cpus));
  COVE_TRY(check_same("limits.disk", asked(request, &Limits::disk), options.disk));
  COVE_TRY(check_same("limits.inodes", asked(request, &Limits::inodes), options.inodes));
  COVE_TRY(
      check_at_most("limits.processes", asked(request, &Limits::processes), options.processes));
  COVE_TRY(check_at_most("limits.descriptors", asked(request, &Limits::descriptors),
                         options.descriptors));
  if (asked(request, &Limits::cpu_time)) {
    return refuse("limits.cpu_time_ms",
                  "the cpu time of one execution cannot be limited in a shared container; use "
                  "the timeout");
  }
  return {};
}

Result<DockerOptions> fit_to_request(DockerOptions options, const ExecutionRequest& request,
                                     const Limits& profile) {
  const ResolvedLimits limits = resolve_limits(request.limits, request.policy.limits, profile);
  options.memory = limits.memory;
  options.cpus = limits.cpus;
  options.disk = limits.disk;
  options.inodes = limits.inodes;
  options.processes = limits.processes;
  options.descriptors = limits.descriptors;
  options.max_concurrent = 1;
  if (request.policy.network == NetworkPolicy::Enabled) options.with_network();
  options.bind_mounts = mounts_for(request.policy.filesystem);
  // /workspace is the host's then.
  const bool taken = std::ranges::any_of(
      options.bind_mounts, [](const BindMount& mount) { return mount.target == "/workspace"; });
  if (taken) options.work_dir = "/run/cove";
  COVE_ASSIGN(options.user, owner_of(options.bind_mounts));
  return options;
}

}  // namespace cove
