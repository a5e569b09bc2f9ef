// How set-up steps read: for --explain and for error messages.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sandbox/setup_plan.h"

namespace cove::sandbox {
namespace {

using Names = std::vector<std::pair<std::uint64_t, std::string_view>>;

std::string flag_names(std::uint64_t value, const Names& names) {
  std::vector<std::string_view> found;
  for (const auto& [bit, name] : names) {
    if ((value & bit) != 0) found.push_back(name);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

std::string namespaces(std::uint64_t flags) {
  return flag_names(flags, {{CLONE_NEWUSER, "user"},
                            {CLONE_NEWNS, "mount"},
                            {CLONE_NEWPID, "pid"},
                            {CLONE_NEWNET, "network"},
                            {CLONE_NEWIPC, "ipc"},
                            {CLONE_NEWUTS, "uts"},
                            {CLONE_NEWCGROUP, "cgroup"}});
}

std::string attributes(std::uint64_t attrs) {
  return flag_names(attrs, {{MOUNT_ATTR_RDONLY, "read-only"},
                            {MOUNT_ATTR_NOSUID, "nosuid"},
                            {MOUNT_ATTR_NODEV, "nodev"},
                            {MOUNT_ATTR_NOEXEC, "noexec"}});
}

std::string_view rlimit_name(std::uint64_t resource) {
  switch (resource) {
    case RLIMIT_CORE:
      return "core";
    case RLIMIT_NOFILE:
      return "nofile";
    case RLIMIT_NPROC:
      return "nproc";
    case RLIMIT_DATA:
      return "data";
    case RLIMIT_CPU:
      return "cpu";
    case RLIMIT_FSIZE:
      return "fsize";
    case RLIMIT_MEMLOCK:
      return "memlock";
    case RLIMIT_MSGQUEUE:
      return "msgqueue";
    case RLIMIT_SIGPENDING:
      return "sigpending";
    case RLIMIT_RTPRIO:
      return "rtprio";
    case RLIMIT_NICE:
      return "nice";
    case RLIMIT_STACK:
      return "stack";
    default:
      return "limit";
  }
}

std::string ids(const SetupStep& step) {
  if ((step.flags & kGuestId) != 0) return "the guest's own";
  return fmt::format("{}:{}", step.a, step.b);
}

// What stands behind the step's name.
std::string details(const SetupStep& step) {
  switch (step.kind) {
    case StepKind::Unshare:
      return namespaces(step.a);
    case StepKind::Hello:
      return "tells Cove who this is; goes on when its ids are mapped, in its control group";
    case StepKind::Announce:
      return "tells Cove that this is pid 1";
    case StepKind::ForkInit:
      return "the child goes on as pid 1";
    case StepKind::ForkMain:
      return "pid 1 stays to reap; the child goes on as the guest";
    case StepKind::Ready:
      return "tells Cove that only the job is missing";
    case StepKind::AwaitJob:
      return "the program's arguments and environment";
    case StepKind::SetIds:
      return ids(step);
    case StepKind::IdMapSelf:
      return fmt::format("{} inside", step.a);
    case StepKind::OpenTree:
      return step.text;
    case StepKind::AttachTree:
      return fmt::format("{} ({})", step.text, attributes(step.b));
    case StepKind::MountTmpfs:
      return fmt::format("{} ({})", step.text, step.text2);
    case StepKind::Bind:
      return fmt::format("{} at {} ({})", step.text, step.text2, attributes(step.b));
    case StepKind::Symlink:
      return fmt::format("{} -> {}", step.text2, step.text);
    case StepKind::Mkdir:
      return fmt::format("{} (mode {:o})", step.text, step.a);
    case StepKind::Chown:
      return fmt::format("{} to {}", step.text, ids(step));
    case StepKind::Rlimit:
      return fmt::format("{} = {}", rlimit_name(step.a), step.b);
    case StepKind::LandlockBegin:
      return fmt::format("files {:#x}, tcp {:#x}, scopes {:#x}", step.a, step.b, step.c);
    case StepKind::LandlockAllow:
      return fmt::format("{} ({:#x})", step.text, step.a);
    case StepKind::Seccomp:
      return fmt::format("{} instructions", step.blob.size() / 8);
    case StepKind::Exec:
      return fmt::format("{}", fmt::join(step.argv, " "));
    case StepKind::Umask:
      return fmt::format("{:03o}", step.a);
    case StepKind::CloseFrom:
      return fmt::format("{} and up{}", step.a, (step.flags & kAtExec) != 0 ? ", at exec" : "");
    case StepKind::Dumpable:
      return step.a != 0 ? "yes" : "no";
    default:
      return step.text;
  }
}

}  // namespace

std::string_view step_name(StepKind kind) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(StepKind::Count)> kNames =
      {"unshare",    "hello",          "join",        "announce",     "fork init",
       "fork guest", "drop groups",    "set ids",     "map ids",      "keep caps",
       "raise caps", "make private",   "open tree",   "attach",       "mount tmpfs",
       "mount proc", "bind",           "mask",        "remount ro",   "chdir",
       "pivot root", "mkdir",          "symlink",     "write file",   "touch",
       "chown",      "open scratch",   "hostname",    "new session",  "terminal",
       "umask",      "subreaper",      "rlimit",      "no new privs", "drop caps",
       "landlock",   "landlock allow", "landlock on", "seccomp",      "dumpable",
       "close fds",  "ready",          "await job",   "exec"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string describe_step(const SetupStep& step) {
  const std::string more = details(step);
  if (more.empty()) return std::string(step_name(step.kind));
  return fmt::format("{:<14} {}", step_name(step.kind), more);
}

}  // namespace cove::sandbox
