#include "sandbox/rootfs.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/unique_fd.h"

namespace cove::sandbox {
namespace {

constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::uint64_t kWritable = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::uint64_t kAsScratch = 0;  // nosuid and nodev, as the tmpfs that they are parts of
constexpr std::uint64_t kDevice = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;

constexpr std::array kDevices = {"null", "zero", "full", "random", "urandom"};

// What a guest has no business to read: addresses, keys, the host's hardware and tasks.
constexpr std::array kMaskedProc = {"kcore",      "kallsyms",      "keys",    "key-users",
                                    "timer_list", "interrupts",    "modules", "config.gz",
                                    "cmdline",    "sysrq-trigger", "fs",      "irq",
                                    "bus",        "acpi",          "scsi",    "asound"};

constexpr const char* kEmptyDirectory = "run/cove/empty";

constexpr const char* kPasswd =
    "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
    "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n";
constexpr const char* kGroup = "root:x:0:\nnogroup:x:65534:\n";
constexpr const char* kHosts = "127.0.0.1 localhost sandbox\n::1 localhost\n";
constexpr const char* kNsswitch = "passwd: files\ngroup: files\nhosts: files dns\n";

// Makes directories of the new root once each.
class Directories {
 public:
  explicit Directories(SetupPlan& plan) : plan_(plan) {}

  void make(const std::string& path, std::uint64_t mode = 0755) {
    if (path.empty() || path == "." || !made_.insert(path).second) return;
    parents(path);
    plan_.add({.kind = StepKind::Mkdir, .a = mode, .text = path});
  }
  void parents(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash != std::string::npos && slash > 0) make(path.substr(0, slash));
  }
  void assume(const std::string& path) { made_.insert(path); }
  bool made(const std::string& path) const { return made_.contains(path); }

 private:
  SetupPlan& plan_;
  std::set<std::string> made_;
};

std::string inside(const std::string& absolute) {
  return absolute.substr(absolute.find_first_not_of('/'));
}

bool is_directory(const std::string& path) {
  struct stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

std::string link_target(const std::string& path) {
  std::array<char, 4096> buffer{};
  const ssize_t n = ::readlink(path.c_str(), buffer.data(), buffer.size() - 1);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

constexpr off_t kMostCopied = 64 << 10;

std::optional<std::string> small_copy(const HostMount& mount, const struct stat& facts) {
  if (mount.writable || !S_ISREG(facts.st_mode) || facts.st_size > kMostCopied ||
      !mount.source.starts_with("/etc/")) {
    return std::nullopt;
  }
  const UniqueFd file(::open(mount.source.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  if (!file || ::read(file.get(), bytes.data(), bytes.size()) != facts.st_size) return std::nullopt;
  return bytes;
}

std::optional<Placement> place(const HostMount& mount) {
  struct stat facts = {};
  if (::lstat(mount.source.c_str(), &facts) != 0) {
    // Without the path the mount itself will fail, and say so.
    return mount.optional ? std::nullopt : std::optional<Placement>({&mount, {}, {}, true});
  }
  if (S_ISLNK(facts.st_mode)) {
    if (mount.source == mount.target && !mount.writable) {
      return Placement{&mount, link_target(mount.source), {}, false};
    }
    if (::stat(mount.source.c_str(), &facts) != 0) return std::nullopt;
  }
  return Placement{&mount, {}, small_copy(mount, facts), S_ISDIR(facts.st_mode)};
}

bool is_mounted(const Placement& placement) {
  return !placement.link && !placement.copy;
}

void add_placement(SetupPlan& plan, Directories& directories, const Placement& placement,
                   std::uint64_t slot) {
  const std::string target = inside(placement.mount->target);
  if (directories.made(target) && !is_mounted(placement)) return;
  if (placement.directory) {
    directories.make(target);
  } else {
    directories.parents(target);
  }
  if (placement.link) {
    plan.add({.kind = StepKind::Symlink, .text = *placement.link, .text2 = target});
    return;
  }
  if (placement.copy) {
    plan.add({.kind = StepKind::WriteFile, .c = 0444, .text = target, .blob = *placement.copy});
    return;
  }
  if (!placement.directory) plan.add({.kind = StepKind::Touch, .c = 0444, .text = target});
  plan.add({.kind = StepKind::AttachTree,
            .a = slot,
            .b = placement.mount->writable ? kWritable : kReadOnly,
            .text = target});
}

void add_device_slots(SetupPlan& plan, std::uint64_t slot) {
  for (const char* name : kDevices) {
    plan.add({.kind = StepKind::OpenTree, .a = slot++, .text = fmt::format("/dev/{}", name)});
  }
}

void add_dev(SetupPlan& plan, Directories& directories, std::uint64_t slot) {
  directories.make("dev");
  directories.make("dev/shm", 01777);
  for (const char* name : kDevices) {
    const std::string path = fmt::format("dev/{}", name);
    plan.add({.kind = StepKind::Touch, .c = 0666, .text = path});
    plan.add({.kind = StepKind::AttachTree, .a = slot++, .b = kDevice, .text = path});
  }
  plan.add({.kind = StepKind::Symlink, .text = "/proc/self/fd", .text2 = "dev/fd"});
  plan.add({.kind = StepKind::Symlink, .text = "/proc/self/fd/0", .text2 = "dev/stdin"});
  plan.add({.kind = StepKind::Symlink, .text = "/proc/self/fd/1", .text2 = "dev/stdout"});
  plan.add({.kind = StepKind::Symlink, .text = "/proc/self/fd/2", .text2 = "dev/stderr"});
}

void add_etc(SetupPlan& plan, Directories& directories) {
  directories.make("etc");
  const auto file = [&](const char* path, const char* text) {
    plan.add({.kind = StepKind::WriteFile, .c = 0444, .text = path, .blob = text});
  };
  file("etc/passwd", kPasswd);
  file("etc/group", kGroup);
  file("etc/hosts", kHosts);
  file("etc/nsswitch.conf", kNsswitch);
}

// A working directory below /workspace is made before the guest starts in it.
void add_working_directory(SetupPlan& plan, const SandboxSpec& spec, const std::string& prefix) {
  constexpr std::string_view kWorkspace = "/workspace/";
  if (!spec.working_directory.starts_with(kWorkspace) || spec.workspace) return;
  Directories directories(plan);
  directories.assume(prefix + "workspace");
  directories.make(prefix + spec.working_directory.substr(1));
}

}  // namespace

std::vector<Placement> place_mounts(const SandboxSpec& spec) {
  std::vector<Placement> out;
  for (const auto& mount : spec.mounts) {
    if (auto placement = place(mount)) out.push_back(std::move(*placement));
  }
  if (spec.workspace) out.push_back({&*spec.workspace, {}, {}, true});
  return out;
}

void add_open_trees(SetupPlan& plan, const std::vector<Placement>& placements) {
  std::uint64_t slot = 0;
  for (const auto& placement : placements) {
    if (!is_mounted(placement)) continue;
    plan.add({.kind = StepKind::OpenTree,
              .flags = placement.mount->optional ? kOptional : 0,
              .a = slot++,
              .text = placement.mount->source});
  }
  add_device_slots(plan, slot);
}

void add_root(SetupPlan& plan, const SandboxSpec& spec, const std::vector<Placement>& placements) {
  // Any directory will do: it is covered only in this mount namespace.
  const char* stage = is_directory("/tmp") ? "/tmp" : "/proc";
  plan.add({.kind = StepKind::MountTmpfs,
            .b = MS_NOSUID | MS_NODEV,
            .text = stage,
            .text2 = "size=8m,nr_inodes=4k,mode=755"});
  plan.add({.kind = StepKind::Chdir, .text = stage});
  Directories directories(plan);
  for (const char* path : {"proc", "tmp", "workspace", "code", "run"}) directories.make(path);
  if (spec.family) directories.make("sessions");
  directories.make(kEmptyDirectory, 0555);
  directories.make(kScratchGate, 0);
  directories.make(kScratchPath);
  if (spec.own_etc) add_etc(plan, directories);
  for (const auto& path : spec.own_directories) directories.make(inside(path));
  std::uint64_t slot = 0;
  for (const auto& placement : placements) {
    const std::uint64_t own_slot = is_mounted(placement) ? slot++ : 0;
    if (!is_covered_by_scratch(placement.mount->target)) {
      add_placement(plan, directories, placement, own_slot);
    }
  }
  for (const auto& file : spec.own_files) {
    directories.parents(inside(file.target));
    plan.add(
        {.kind = StepKind::WriteFile, .c = 0555, .text = inside(file.target), .blob = file.bytes});
  }
  add_dev(plan, directories, slot);
  // Last, so that no step before the new root is in place walks through one: a link of an image may
  // say /etc, and there it would still be the host's.
  for (const auto& link : spec.own_links) {
    plan.add({.kind = StepKind::Symlink, .text = link.leads_to, .text2 = inside(link.target)});
  }
}

void add_scratch(SetupPlan& plan, const SandboxSpec& spec, const std::string& prefix,
                 const ScratchOwner& owner) {
  const std::string scratch = prefix + kScratchPath;
  plan.add({.kind = StepKind::MountTmpfs,
            .b = MS_NOSUID | MS_NODEV,
            .text = scratch,
            .text2 = fmt::format("size={},nr_inodes={},mode=755", spec.disk_bytes, spec.inodes)});
  struct Part {
    const char* name;
    const char* place;
    std::uint64_t mode;
    std::uint64_t attributes;
  };
  constexpr std::array kParts = {
      Part{"workspace", "workspace", 0755, kAsScratch}, Part{"tmp", "tmp", 01777, kAsScratch},
      Part{"shm", "dev/shm", 01777, kAsScratch}, Part{"code", "code", 0755, kReadOnly},
      Part{"sessions", "sessions", 0755, kAsScratch}};
  plan.add({.kind = StepKind::Umask, .a = 0});
  for (const auto& part : kParts) {
    if (!spec.family && std::string_view(part.name) == "sessions") continue;
    const std::string path = fmt::format("{}/{}", scratch, part.name);
    plan.add({.kind = StepKind::Mkdir, .a = part.mode, .text = path});
    if (owner.change) {
      plan.add(
          {.kind = StepKind::Chown, .flags = owner.told_by_zygote ? kGuestId : 0, .text = path});
    }
    if (spec.workspace && std::string_view(part.name) == "workspace") continue;
    plan.add(
        {.kind = StepKind::Bind, .b = part.attributes, .text = path, .text2 = prefix + part.place});
  }
  plan.add({.kind = StepKind::Umask, .a = 022});
  add_working_directory(plan, spec, prefix);
  if (!spec.program_file.empty()) {
    plan.add({.kind = StepKind::Touch,
              .c = 0644,
              .text = fmt::format("{}/code/{}", scratch, spec.program_file)});
  }
  plan.add({.kind = StepKind::OpenScratch, .text = scratch});
}

bool is_covered_by_scratch(const std::string& target) {
  return std::ranges::any_of(std::array{"/tmp/", "/workspace/", "/dev/shm/", "/code/"},
                             [&](const char* place) { return target.starts_with(place); });
}

void add_covered_mounts(SetupPlan& plan, const std::vector<Placement>& placements) {
  Directories directories(plan);
  for (const char* path : {"tmp", "workspace", "dev", "dev/shm", "code"}) directories.assume(path);
  std::uint64_t slot = 0;
  for (const auto& placement : placements) {
    const std::uint64_t own_slot = is_mounted(placement) ? slot++ : 0;
    if (is_covered_by_scratch(placement.mount->target)) {
      add_placement(plan, directories, placement, own_slot);
    }
  }
}

void add_proc_masks(SetupPlan& plan) {
  for (const char* name : kMaskedProc) {
    const std::string path = fmt::format("/proc/{}", name);
    struct stat facts = {};
    if (::lstat(path.c_str(), &facts) != 0) continue;
    plan.add({.kind = StepKind::Mask,
              .text = path,
              .text2 = S_ISDIR(facts.st_mode) ? fmt::format("/{}", kEmptyDirectory) : "/dev/null"});
  }
}

void add_pivot(SetupPlan& plan) {
  plan.add({.kind = StepKind::PivotRoot});
  plan.add({.kind = StepKind::RemountRo, .text = "/"});
}

}  // namespace cove::sandbox
