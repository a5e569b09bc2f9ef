#include "sandbox/landlock.h"

#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cove::sandbox {
namespace {

// Rights by the ABI that brought them; the system's header may be older than the kernel.
constexpr std::uint64_t kExecute = 1U << 0U;
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kReadDir = 1U << 3U;
constexpr std::uint64_t kMakeChar = 1U << 6U;
constexpr std::uint64_t kMakeBlock = 1U << 11U;
constexpr std::uint64_t kAbi1 = (1U << 13U) - 1;
constexpr std::uint64_t kRefer = 1U << 13U;     // ABI 2
constexpr std::uint64_t kTruncate = 1U << 14U;  // ABI 3
constexpr std::uint64_t kIoctlDev = 1U << 15U;  // ABI 5
constexpr std::uint64_t kTcp = 3;               // ABI 4: bind, connect
constexpr std::uint64_t kScopes = 3;            // ABI 6: abstract sockets, signals

std::uint64_t handled_rights(int abi) {
  std::uint64_t rights = kAbi1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDev;
  return rights;
}

bool is_directory(const std::string& path) {
  struct stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

class Rules {
 public:
  Rules(SetupPlan& plan, const SandboxSpec& spec)
      : plan_(plan), handled_(handled_rights(spec.landlock_abi)) {}

  void read(const std::string& path, bool directory) {
    allow(path, directory ? kExecute | kReadFile | kReadDir : kExecute | kReadFile);
  }
  void write(const std::string& path, bool directory) {
    const std::uint64_t file = kExecute | kReadFile | kWriteFile | kTruncate;
    allow(path, directory ? handled_ & ~(kMakeChar | kMakeBlock | kIoctlDev) : file);
  }
  void device(const std::string& path) { allow(path, kReadFile | kWriteFile | kTruncate); }

 private:
  void allow(const std::string& path, std::uint64_t rights) {
    plan_.add({.kind = StepKind::LandlockAllow,
               .flags = kOptional,
               .a = rights & handled_,
               .text = path});
  }
  SetupPlan& plan_;
  std::uint64_t handled_;
};

void allow_devices(Rules& rules, const SandboxSpec& spec) {
  for (const char* name : {"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"}) {
    rules.device(name);
  }
  // Shared and writable, its mappings are memory that RLIMIT_DATA does not count.
  if (spec.memory_control == MemoryControl::PerProcess) {
    rules.read("/dev/zero", false);
  } else {
    rules.device("/dev/zero");
  }
}

void allow_sandbox_view(Rules& rules, const SandboxSpec& spec) {
  rules.read("/", true);
  for (const char* path : {"/workspace", "/tmp", "/dev/shm"}) {
    if (spec.workspace && !spec.workspace->writable && std::string_view(path) == "/workspace")
      continue;
    rules.write(path, true);
  }
  if (spec.family) rules.write("/sessions", true);
  for (const auto& mount : spec.mounts) {
    if (mount.writable) rules.write(mount.target, is_directory(mount.source));
  }
}

void allow_host_view(Rules& rules, const SandboxSpec& spec) {
  for (const auto& mount : spec.mounts) {
    const bool directory = is_directory(mount.source);
    mount.writable ? rules.write(mount.source, directory) : rules.read(mount.source, directory);
  }
  for (const char* path : {"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg",
                           "/proc/uptime", "/proc/version", "/proc/filesystems"}) {
    rules.read(path, false);
  }
  // Only the guest's first process finds itself here: a child has another directory. Not the whole
  // of it: net/ and task/*/net/ list the host's sockets.
  for (const char* name : {"cmdline", "comm", "environ", "limits", "maps", "oom_score", "smaps",
                           "smaps_rollup", "stat", "statm", "status"}) {
    rules.read(std::string("/proc/self/") + name, false);
  }
  rules.read("/proc/self/fd", true);
  rules.write(spec.scratch_dir + "/workspace", true);
  rules.write(spec.scratch_dir + "/tmp", true);
  rules.read(spec.scratch_dir + "/code", true);
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1 /* VERSION */);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

void add_landlock(SetupPlan& plan, const SandboxSpec& spec) {
  if (spec.landlock_abi < 1) return;
  plan.add({.kind = StepKind::LandlockBegin,
            .a = handled_rights(spec.landlock_abi),
            .b = spec.landlock_abi >= 4 && !spec.network ? kTcp : 0,
            .c = spec.landlock_abi >= 6 ? kScopes : 0});
  Rules rules(plan, spec);
  if (spec.level == Level::Namespaces) {
    allow_sandbox_view(rules, spec);
  } else {
    allow_host_view(rules, spec);
  }
  allow_devices(rules, spec);
  plan.add({.kind = StepKind::LandlockEnforce});
}

}  // namespace cove::sandbox
