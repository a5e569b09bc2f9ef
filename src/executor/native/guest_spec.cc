#include "executor/native/guest_spec.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fill_text.h"

extern "C" const char cove_python_module_begin[];
extern "C" const char cove_python_module_end[];

namespace cove {
namespace {

constexpr const char* kNativeDir = "/run/cove/native";

// What a zygote's first child runs, to learn what small programs need. A guest never sees it.
constexpr const char* kRehearsal =
    "import sys\n"
    "def work(n):\n"
    "    return [str(i) for i in range(n)]\n"
    "print(*work(20), f'{1.5:.2f}')\n";

// The profile's text only: a name that the caller gave is literal(), and a path that was put in may
// have any words, too.
std::string fill(const std::string& text, const Runtime& runtime, const GuestPaths& paths) {
  std::vector<Filling> fillings{{"{program}", paths.program(runtime.profile)},
                                {"{guest}", paths.guest},
                                {"{tmp}", paths.tmp}};
  if (!runtime.build_dir.empty()) fillings.push_back({"{build}", paths.build});
  if (!runtime.prepared_dir.empty()) fillings.push_back({"{prepared}", paths.prepared});
  // Profiles speak of /workspace; at the landlock level that is a private host directory.
  if (paths.workspace != "/workspace") fillings.push_back({"/workspace", paths.workspace});
  return fill_text(text, fillings);
}

std::vector<std::string> argv_of(const Runtime& runtime, const GuestPaths& paths,
                                 const std::vector<std::string>& args) {
  std::vector<std::string> argv = {fill(runtime.interpreter, runtime, paths)};
  for (const auto& arg : args) argv.push_back(fill(arg, runtime, paths));
  return argv;
}

void set(std::vector<std::string>& env, const std::string& name, const std::string& value) {
  std::erase_if(env, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  env.push_back(name + "=" + value);
}

std::vector<std::string> base_env(const NativeHost& host, const Runtime& runtime,
                                  const GuestPaths& paths) {
  std::vector<std::string> env;
  set(env, "PATH", "/usr/local/bin:/usr/bin:/bin");
  set(env, "HOME", paths.tmp);  // an image's own is not adopted
  set(env, "LANG", "C.UTF-8");
  if (host.image) {
    set(env, "PATH", fmt::format("{}", fmt::join(host.image->command_path, ":")));
    for (const auto& [name, value] : host.image->env) set(env, name, value);
  }
  if (paths.tmp != "/tmp") set(env, "TMPDIR", paths.tmp);
  for (const auto& [name, value] : runtime.profile.env) set(env, name, fill(value, runtime, paths));
  return env;
}

void add_program(sandbox::SandboxSpec& spec, const Runtime& runtime,
                 const ExecutionRequest& request, const GuestPaths& paths, StartMode mode) {
  const auto& profile = runtime.profile;
  spec.executable = fill(runtime.interpreter, runtime, paths);
  spec.await_job = mode == StartMode::AwaitJob;
  if (spec.await_job) {
    spec.argv = argv_of(runtime, paths, request.input ? profile.harness_args : profile.run_args);
    return;
  }
  spec.argv = argv_of(runtime, paths, profile.warm_args);
  if (mode == StartMode::Waiting) spec.program_file = "main." + profile.extension;
  for (const auto& [name, value] : profile.warm_env)
    set(spec.env, name, fill(value, runtime, paths));
  if (mode == StartMode::Zygote) {
    spec.own_files.push_back({fmt::format("{}/_cove_guest.abi3.so", kNativeDir),
                              std::string(cove_python_module_begin, cove_python_module_end)});
    set(spec.env, "COVE_NATIVE", kNativeDir);
    spec.own_files.push_back({paths.program(profile), kRehearsal});
    if (!profile.preload.empty()) {
      set(spec.env, "COVE_PRELOAD", fmt::format("{}", fmt::join(profile.preload, ",")));
    }
  }
}

// A guest that writes to a host directory does so as its owner: never as root.
Result<> take_owner(sandbox::SandboxSpec& spec, const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return Err(Error::from_errno(path));
  if (!spec.can_change_ids) return {};
  if (facts.st_uid == 0) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     fmt::format("{} belongs to root, and a guest never runs as root: give the "
                                 "directory to another user",
                                 path)));
  }
  spec.uid = facts.st_uid;
  spec.gid = facts.st_gid;
  return {};
}

Result<> add_path(sandbox::SandboxSpec& spec, const NativeHost& host, const std::string& path,
                  bool writable) {
  if (!path.starts_with('/') || path == "/" || path.find("/../") != std::string::npos) {
    return Err(Error::invalid_field(
        "policy.filesystem",
        fmt::format("a host path must be absolute and below /, got {}", path)));
  }
  if (::access(path.c_str(), F_OK) != 0) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     fmt::format("policy path {} does not exist on this host", path)));
  }
  if (host.image) COVE_TRY(host.image->check_mount_point(path));
  if (writable) COVE_TRY(take_owner(spec, path));
  spec.mounts.push_back({path, path, writable, false});
  return {};
}

// `Unrestricted` asks for nothing: the private root is as good an answer as any.
Result<> add_filesystem(sandbox::SandboxSpec& spec, const NativeHost& host,
                        const FilesystemPolicy& policy) {
  using Kind = FilesystemPolicy::Kind;
  if (policy.kind == Kind::Paths) {
    for (const auto& path : policy.read_only) COVE_TRY(add_path(spec, host, path, false));
    for (const auto& path : policy.read_write) COVE_TRY(add_path(spec, host, path, true));
  }
  if (policy.kind == Kind::WorkspaceReadOnly || policy.kind == Kind::WorkspaceReadWrite) {
    if (spec.level == sandbox::Level::Landlock) {
      return Err(Error(ErrorCode::UnsupportedPolicy,
                       "a host directory as workspace needs isolation namespaces; at the landlock "
                       "level name it with filesystem = \"paths\""));
    }
    const bool writable = policy.kind == Kind::WorkspaceReadWrite;
    if (::access(policy.root.c_str(), F_OK) != 0) {
      return Err(Error(ErrorCode::UnsupportedPolicy,
                       fmt::format("workspace root {} does not exist on this host", policy.root)));
    }
    if (writable) COVE_TRY(take_owner(spec, policy.root));
    spec.workspace = sandbox::HostMount{policy.root, "/workspace", writable, false};
  }
  return {};
}

void add_network(sandbox::SandboxSpec& spec, const NativeHost& host, NetworkPolicy policy) {
  spec.network = policy != NetworkPolicy::Disabled;
  if (!spec.network) return;
  if (host.image) {
    // An image has its own certificates, and a link to here (image/layer_merge.cc).
    spec.mounts.push_back({"/etc/resolv.conf", "/run/cove/resolv.conf", false, true});
    return;
  }
  for (const char* path : {"/etc/resolv.conf", "/etc/ssl", "/etc/ca-certificates"}) {
    spec.mounts.push_back({path, path, false, true});
  }
}

// The image's own entries of /; the sandbox's directories are added to them as always.
void add_image(sandbox::SandboxSpec& spec, const ImageRoot& image) {
  for (const auto& name : image.trees) {
    spec.mounts.push_back({fmt::format("{}/{}", image.path, name), "/" + name, false, false});
  }
  for (const auto& name : image.empty) spec.own_directories.push_back("/" + name);
  for (const auto& [name, target] : image.links) spec.own_links.push_back({"/" + name, target});
  spec.own_etc = std::ranges::find(image.trees, "etc") == image.trees.end();
}

void add_limits(sandbox::SandboxSpec& spec, const NativeHost& host, const ResolvedLimits& limits) {
  spec.memory_bytes = limits.memory.value;
  spec.memory_control =
      host.has_cgroups() ? sandbox::MemoryControl::Cgroup : sandbox::MemoryControl::PerProcess;
  spec.processes = limits.processes;
  spec.disk_bytes = limits.disk.value;
  spec.inodes = limits.inodes;
  spec.descriptors = limits.descriptors;
  if (limits.cpu_time) {
    const double seconds = std::ceil(static_cast<double>(limits.cpu_time->count()) / 1000.0);
    spec.cpu_seconds = static_cast<std::uint64_t>(std::max(1.0, seconds));
  }
}

}  // namespace

GuestPaths GuestPaths::at(const NativeHost& host, const std::string& scratch_dir,
                          const Runtime& runtime) {
  if (host.level == sandbox::Level::Namespaces) return {};
  return {scratch_dir + "/workspace", scratch_dir + "/code", scratch_dir + "/tmp",
          host.data_dir + "/guest",   runtime.build_dir,     runtime.prepared_dir};
}

// NOLINTNEXTLINE(readability-function-size): one parameter for each part of a run.
Result<sandbox::SandboxSpec> make_spec(const NativeHost& host, const Runtime& runtime,
                                       const ExecutionRequest& request,
                                       const ResolvedLimits& limits, const GuestPaths& paths,
                                       StartMode mode) {
  sandbox::SandboxSpec spec;
  spec.level = host.level;
  spec.landlock_abi = host.landlock_abi;
  spec.can_change_ids = host.ids.can_change_ids();
  spec.uid = host.ids.own_uid();
  spec.gid = host.ids.own_gid();
  if (host.image) add_image(spec, *host.image);
  for (const auto& path : runtime.mounts) {
    if (host.level == sandbox::Level::Namespaces && path.starts_with("/code/")) {
      return Err(
          Error(ErrorCode::UnsupportedLanguage,
                fmt::format("{} cannot be shown: /code is the program's own directory inside "
                            "a sandbox; install it elsewhere",
                            path)));
    }
    spec.mounts.push_back({path, path, false, true});
  }
  const std::string guest_files = host.data_dir + "/guest";
  spec.mounts.push_back({guest_files, paths.guest, false, false});
  if (!runtime.build_dir.empty()) {
    spec.mounts.push_back({runtime.build_dir, paths.build, false, false});
  }
  if (!runtime.prepared_dir.empty()) {
    spec.mounts.push_back({runtime.prepared_dir, paths.prepared, false, false});
  }
  spec.working_directory = paths.workspace;
  if (const auto& below = request.policy.working_directory; below && !below->empty()) {
    spec.working_directory += "/" + *below;
  }
  COVE_TRY(add_filesystem(spec, host, request.policy.filesystem));
  add_network(spec, host, request.policy.network);
  add_limits(spec, host, limits);
  spec.env = base_env(host, runtime, paths);
  add_program(spec, runtime, request, paths, mode);
  return spec;
}

Result<> check_filesystem(const NativeHost& host, const FilesystemPolicy& policy) {
  sandbox::SandboxSpec spec;
  spec.level = host.level;
  spec.can_change_ids = host.ids.can_change_ids();
  return add_filesystem(spec, host, policy);
}

sandbox::Job make_job(const ExecutionRequest& request) {
  sandbox::Job job{.args = request.args, .env = {}};
  const auto& inherited = request.policy.environment;
  if (inherited.kind == EnvironmentPolicy::Kind::AllowList) {
    for (const auto& name : inherited.names) {
      if (const char* value = ::secure_getenv(name.c_str()); value != nullptr) {
        job.env.push_back(fmt::format("{}={}", name, value));
      }
    }
  } else if (inherited.kind == EnvironmentPolicy::Kind::Unrestricted) {
    for (char** entry = environ; *entry != nullptr; ++entry) job.env.emplace_back(*entry);
  }
  for (const auto& [name, value] : request.env)
    job.env.push_back(fmt::format("{}={}", name, value));
  return job;
}

sandbox::CgroupLimits group_limits(const ResolvedLimits& limits) {
  // The set-up needs room for two at a time; a limit of one process is RLIMIT_NPROC's then.
  return {limits.memory.value, std::max<std::uint32_t>(limits.processes, 2), limits.cpus};
}

}  // namespace cove
