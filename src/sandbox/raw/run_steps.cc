#include "sandbox/raw/run_steps.h"

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include <initializer_list>

#include "sandbox/raw/mount_calls.h"
#include "sandbox/raw/raw_syscalls.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr int kAtFdcwd = -100;
constexpr int kOpenCloexec = 02000000;
constexpr int kOpenDirectory = 0200000;
constexpr int kOpenPath = 010000000;
constexpr int kOpenWriteNew = 0301;  // O_WRONLY | O_CREAT | O_EXCL
constexpr long kErrInvalid = -22;
constexpr long kErrNoEntry = -2;
constexpr long kErrAccess = -13;

const char* text_of(const StepContext& context, uint32_t offset) {
  return context.plan.pool + offset;
}

long say_hello(const StepContext& context) {
  Report report = {};
  report.kind = ReportKind::Hello;
  const long sent = send_report(context.status_fd, report, -1);
  return sent < 0 ? sent : await_go(context.status_fd);
}

// The descriptor of this very process rides along: the parent need not look its number up, which
// might be somebody else's by then.
long join(const StepContext& context) {
  const long failed = join_group(context.join_fds, context.join_count);
  if (failed < 0) return failed;
  const long self = call(SYS_pidfd_open, call(SYS_getpid), 0);
  if (self < 0) return self;
  Report report = {};
  report.kind = ReportKind::Announce;
  const long sent = send_report(context.status_fd, report, static_cast<int>(self));
  call(SYS_close, self);
  return sent;
}

long announce(const StepContext& context) {
  Report report = {};
  report.kind = ReportKind::Announce;
  return send_report(context.status_fd, report, -1);
}

long say_ready(const StepContext& context) {
  Report report = {};
  report.kind = ReportKind::Ready;
  return send_report(context.status_fd, report, context.scratch_fd);
}

long write_proc(const char* path, const char* text) {
  const long fd = call(SYS_openat, kAtFdcwd, path, 1 | kOpenCloexec, 0);
  if (fd < 0) return fd;
  const long n = raw::write_all(static_cast<int>(fd), text, raw::length(text));
  call(SYS_close, fd);
  return n < 0 ? n : 0;
}

// Writes "INSIDE OUTSIDE 1".
long write_map(const char* path, uint64_t inside, uint64_t outside) {
  char line[64];
  char* at = line + sizeof line;
  *--at = '\0';
  *--at = '1';
  for (const uint64_t id : {outside, inside}) {
    *--at = ' ';
    uint64_t rest = id;
    do {
      *--at = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
  }
  return write_proc(path, at);
}

long map_self(uint64_t inside, uint64_t outside) {
  // A group may only be mapped without privilege once setgroups is given up.
  long failed = write_proc("/proc/self/setgroups", "deny");
  if (failed == 0) failed = write_map("/proc/self/uid_map", inside, outside);
  if (failed == 0) failed = write_map("/proc/self/gid_map", inside, outside);
  return failed;
}

long change_ids(uint64_t uid, uint64_t gid) {
  const long failed = call(SYS_setresgid, gid, gid, gid);
  return failed < 0 ? failed : call(SYS_setresuid, uid, uid, uid);
}

struct CapHeader {
  uint32_t version;
  int32_t pid;
};
struct CapData {
  uint32_t effective, permitted, inheritable;
};

long raise_caps() {
  CapHeader header = {_LINUX_CAPABILITY_VERSION_3, 0};
  CapData data[2] = {};
  long failed = call(SYS_capget, &header, data);
  if (failed < 0) return failed;
  for (auto& half : data) half.effective = half.permitted;
  return call(SYS_capset, &header, data);
}

long drop_caps() {
  for (int cap = 0; cap < 64; ++cap) {
    const long failed = call(SYS_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0);
    if (failed == kErrInvalid) break;
    if (failed == -1) continue;  // without CAP_SETPCAP the set cannot be used either
  }
  call(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // Uid 0, should it ever come back, is worth nothing. Only possible with CAP_SETPCAP.
  call(SYS_prctl, PR_SET_SECUREBITS,
       SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
           SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
           SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
       0, 0, 0);
  CapHeader header = {_LINUX_CAPABILITY_VERSION_3, 0};
  CapData data[2] = {};
  return call(SYS_capset, &header, data);
}

long write_file(const char* path, const char* bytes, uint64_t size, uint64_t mode) {
  const long fd = call(SYS_openat, kAtFdcwd, path, kOpenWriteNew | kOpenCloexec, mode);
  if (fd < 0) return fd;
  const long n = raw::write_all(static_cast<int>(fd), bytes, static_cast<long>(size));
  call(SYS_close, fd);
  return n < 0 ? n : 0;
}

long landlock_begin(StepContext& context, const RawStep& step) {
  // The scope field came with ABI 6; an older kernel takes the shorter structure.
  struct Attributes {
    uint64_t fs, net, scoped;
  } attributes = {step.a, step.b, step.c};
  const long size = step.c != 0 ? 24 : (step.b != 0 ? 16 : 8);
  const long fd = call(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (fd < 0) return fd;
  context.landlock_fd = static_cast<int>(fd);
  return 0;
}

long landlock_allow(const StepContext& context, const RawStep& step) {
  const long fd =
      call(SYS_openat, kAtFdcwd, text_of(context, step.text), kOpenPath | kOpenCloexec, 0);
  if (fd == kErrNoEntry && (step.flags & kOptional) != 0) return 0;
  if (fd == kErrAccess && (step.flags & kOptional) != 0) return 0;
  if (fd < 0) return fd;
  struct __attribute__((packed)) {
    uint64_t access;
    int32_t parent;
  } rule = {step.a, static_cast<int32_t>(fd)};
  const long failed =
      call(SYS_landlock_add_rule, context.landlock_fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  call(SYS_close, fd);
  return failed;
}

long install_seccomp(const StepContext& context, const RawStep& step) {
  struct sock_fprog program = {};
  program.len = static_cast<unsigned short>(step.b / sizeof(struct sock_filter));
  program.filter =
      reinterpret_cast<struct sock_filter*>(const_cast<char*>(context.plan.pool) + step.a);
  return call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

long set_rlimit(uint64_t resource, uint64_t soft, uint64_t hard) {
  struct {
    uint64_t soft, hard;
  } limit = {soft, hard}, now = {};
  const long failed = call(SYS_prlimit64, 0, resource, nullptr, &now);
  if (failed < 0) return failed;
  // A host that allows less wins.
  if (now.hard < limit.hard) limit.hard = now.hard;
  if (limit.hard < limit.soft) limit.soft = limit.hard;
  return call(SYS_prlimit64, 0, resource, &limit, nullptr);
}

long open_scratch(StepContext& context, const char* path) {
  const long fd = call(SYS_openat, kAtFdcwd, path, kOpenDirectory | kOpenCloexec, 0);
  if (fd < 0) return fd;
  context.scratch_fd = static_cast<int>(fd);
  return 0;
}

long identity_step(const StepContext& context, const RawStep& step) {
  const bool told = (step.flags & kGuestId) != 0;
  switch (step.kind) {
    case StepKind::DropGroups:
      return call(SYS_setgroups, 0, nullptr);
    case StepKind::SetIds:
      return told ? change_ids(context.guest_id, context.guest_id) : change_ids(step.a, step.b);
    case StepKind::IdMapSelf:
      return map_self(step.a, told ? context.guest_id : step.b);
    case StepKind::KeepCaps:
      return call(SYS_prctl, PR_SET_KEEPCAPS, 1, 0, 0, 0);
    case StepKind::RaiseCaps:
      return raise_caps();
    case StepKind::DropCaps:
      return drop_caps();
    case StepKind::NoNewPrivs:
      return call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    case StepKind::Dumpable:
      return call(SYS_prctl, PR_SET_DUMPABLE, step.a, 0, 0, 0);
    case StepKind::Subreaper:
      return call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    default:
      return kErrInvalid;
  }
}

long file_step(StepContext& context, const RawStep& step) {
  const char* text = text_of(context, step.text);
  const char* text2 = text_of(context, step.text2);
  switch (step.kind) {
    case StepKind::Chdir:
      return call(SYS_chdir, text);
    case StepKind::Mkdir:
      return call(SYS_mkdirat, kAtFdcwd, text, step.a);
    case StepKind::Symlink:
      return call(SYS_symlinkat, text, kAtFdcwd, text2);
    case StepKind::WriteFile:
      return write_file(text, context.plan.pool + step.a, step.b, step.c);
    case StepKind::Touch:
      return write_file(text, "", 0, step.c);
    case StepKind::Chown: {
      const bool told = (step.flags & kGuestId) != 0;
      return call(SYS_fchownat, kAtFdcwd, text, told ? context.guest_id : step.a,
                  told ? context.guest_id : step.b, 0);
    }
    case StepKind::OpenScratch:
      return open_scratch(context, text);
    default:
      return kErrInvalid;
  }
}

long mount_step(StepContext& context, const RawStep& step) {
  const char* text = text_of(context, step.text);
  const char* text2 = text_of(context, step.text2);
  switch (step.kind) {
    case StepKind::MakePrivate:
      return make_private();
    case StepKind::OpenTree: {
      const long fd = open_tree_clone(text, (step.flags & kNonRecursive) == 0);
      const bool missing = fd == kErrNoEntry || fd == kErrAccess;
      if (fd < 0 && !(missing && (step.flags & kOptional) != 0)) return fd;
      context.trees[step.a] = static_cast<int>(fd);
      return 0;
    }
    case StepKind::AttachTree: {
      const int fd = context.trees[step.a];
      return fd < 0 ? 0 : attach_tree(fd, text, step.b);
    }
    case StepKind::MountTmpfs:
      return mount_tmpfs(text, text2, step.b);
    case StepKind::MountProc:
      return mount_proc(text);
    case StepKind::Bind: {
      if (step.b == 0) return bind_plainly(text, text2);
      const long fd = open_tree_clone(text, true);
      return fd < 0 ? fd : attach_tree(static_cast<int>(fd), text2, step.b);
    }
    case StepKind::Mask: {
      const long failed = bind_plainly(text2, text);
      return failed == kErrNoEntry ? 0 : failed;
    }
    case StepKind::RemountRo:
      return remount_read_only(text);
    case StepKind::PivotRoot:
      return pivot_here();
    default:
      return kErrInvalid;
  }
}

long run_one(StepContext& context, const RawStep& step) {
  switch (step.kind) {
    case StepKind::Unshare:
      return call(SYS_unshare, step.a);
    case StepKind::Hello:
      return say_hello(context);
    case StepKind::Join:
      return join(context);
    case StepKind::Announce:
      return announce(context);
    case StepKind::Ready:
      return say_ready(context);
    case StepKind::Hostname: {
      const char* name = text_of(context, step.text);
      return call(SYS_sethostname, name, raw::length(name));
    }
    case StepKind::NewSession: {
      const long failed = call(SYS_setsid);
      return failed == -1 ? 0 : failed;  // EPERM: already the leader of one
    }
    case StepKind::Terminal:
      return call(SYS_ioctl, 0, 0x540e /* TIOCSCTTY */, 0);
    case StepKind::Umask:
      return call(SYS_umask, step.a) < 0 ? kErrInvalid : 0;
    case StepKind::Rlimit:
      return set_rlimit(step.a, step.b, step.c != 0 ? step.c : step.b);
    case StepKind::LandlockBegin:
      return landlock_begin(context, step);
    case StepKind::LandlockAllow:
      return landlock_allow(context, step);
    case StepKind::LandlockEnforce: {
      const long failed = call(SYS_landlock_restrict_self, context.landlock_fd, 0);
      call(SYS_close, context.landlock_fd);
      return failed;
    }
    case StepKind::Seccomp:
      return install_seccomp(context, step);
    case StepKind::CloseFrom:
      return call(SYS_close_range, step.a, ~0U, (step.flags & kAtExec) != 0 ? 4 : 0);
    case StepKind::DropGroups:
    case StepKind::SetIds:
    case StepKind::IdMapSelf:
    case StepKind::KeepCaps:
    case StepKind::RaiseCaps:
    case StepKind::DropCaps:
    case StepKind::NoNewPrivs:
    case StepKind::Dumpable:
    case StepKind::Subreaper:
      return identity_step(context, step);
    case StepKind::Chdir:
    case StepKind::Mkdir:
    case StepKind::Symlink:
    case StepKind::WriteFile:
    case StepKind::Touch:
    case StepKind::Chown:
    case StepKind::OpenScratch:
      return file_step(context, step);
    default:
      return mount_step(context, step);
  }
}

}  // namespace

long open_plan(int fd, PlanView& view) {
  struct PlanHeader header = {};
  const long got = call(SYS_pread64, fd, &header, sizeof header, 0);
  if (got < 0) return got;
  if (got != sizeof header || header.magic != kPlanMagic) return kErrInvalid;
  const uint64_t size =
      sizeof header + uint64_t{header.step_count} * sizeof(RawStep) + header.pool_size;
  const long at = call(SYS_mmap, nullptr, size, 1 /* PROT_READ */, 2 /* MAP_PRIVATE */, fd, 0);
  if (at < 0 && at > -4096) return at;
  view.header = reinterpret_cast<const PlanHeader*>(at);
  view.steps = reinterpret_cast<const RawStep*>(view.header + 1);
  view.pool = reinterpret_cast<const char*>(view.steps + view.header->step_count);
  return 0;
}

uint32_t run_steps(StepContext& context, uint32_t from) {
  const uint32_t count = context.plan.header->step_count;
  for (uint32_t index = from; index < count; ++index) {
    const RawStep& step = context.plan.steps[index];
    if (step.kind == StepKind::ForkInit || step.kind == StepKind::ForkMain ||
        step.kind == StepKind::AwaitJob || step.kind == StepKind::Exec) {
      return index;
    }
    const long result = run_one(context, step);
    if (result < 0) fail_step(context, index, -result);
  }
  return count;
}

void fail_step(const StepContext& context, uint32_t index, long error) {
  Report report = {};
  report.kind = ReportKind::Failed;
  report.step = index;
  report.error = static_cast<int32_t>(error);
  send_report(context.status_fd, report, -1);
  raw::exit_now(127);
}

}  // namespace cove::sandbox
