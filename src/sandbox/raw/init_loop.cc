#include "sandbox/raw/init_loop.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "sandbox/raw/raw_syscalls.h"
#include "sandbox/raw/run_steps.h"
#include "sandbox/raw/traced_exit.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr int kSigkill = 9;
constexpr long kErrInterrupted = -4;
constexpr long kErrNoChild = -10;
constexpr int kWaitAll = 0x40000000;  // __WALL
constexpr int kNoHang = 1;
constexpr int kDontWait = 0x40;  // MSG_DONTWAIT

struct TimeValue {
  int64_t seconds, microseconds;
};
struct ResourceUsage {
  TimeValue user, system;
  int64_t peak_kib;
  int64_t rest[13];
};

void add(uint64_t& sum, const TimeValue& time) {
  sum += static_cast<uint64_t>(time.seconds) * 1000000U + static_cast<uint64_t>(time.microseconds);
}

// Pid 1 needs no more than this. A guest that somehow took it over would hold less than it had.
void lock_down() {
#if defined(__x86_64__)
  constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#else
  constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif
  constexpr uint32_t kAllowed[] = {
      SYS_wait4,  SYS_kill,         SYS_sendmsg,    SYS_close,     SYS_ppoll,
      SYS_read,   SYS_rt_sigreturn, SYS_exit_group, SYS_getrusage, SYS_restart_syscall,
      SYS_ptrace, SYS_getdents64,   SYS_lseek,      SYS_pread64};
  constexpr int kCount = sizeof kAllowed / sizeof kAllowed[0];
  sock_filter program[kCount + 6] = {};
  int n = 0;
  program[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  program[n++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0);
  program[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (int i = 0; i < kCount; ++i) {
    program[n++] =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kAllowed[i], static_cast<uint8_t>(kCount - i), 0);
  }
  program[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog filter = {static_cast<unsigned short>(n), program};
  call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

void drop_everything(const InitTask& task) {
  // Descriptors 0, 1, 2 are the guest's pipes: held here, their readers would never see the end.
  call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  const int low = task.status_fd < task.host_fd ? task.status_fd : task.host_fd;
  const int high = task.status_fd < task.host_fd ? task.host_fd : task.status_fd;
  if (low > 0) call(SYS_close_range, 0U, static_cast<unsigned>(low - 1), 0);
  if (high > low + 1) call(SYS_close_range, low + 1, high - 1, 0);
  call(SYS_close_range, high + 1, ~0U, 0);
  if (task.traced) open_traced_view(task.main_pid);
  struct {
    uint32_t version;
    int32_t pid;
  } header = {_LINUX_CAPABILITY_VERSION_3, 0};
  uint32_t none[6] = {};
  call(SYS_capset, &header, none);
}

struct Reaped {
  bool main_ended = false;
  bool none_left = false;
  int wait_status = 0;
};

// Never waits: a guest can make more of these than anybody reads, and pid 1 must go on reaping.
void tell_reaped(const InitTask& task, long pid, int status) {
  Report report = {};
  report.kind = ReportKind::Reaped;
  report.step = static_cast<uint32_t>(pid);
  report.wait_status = status;
  send_report(task.status_fd, report, -1, kDontWait);
}

// Collects every child that has ended; blocks for the next if asked to.
void reap(const InitTask& task, bool block, Reaped& seen) {
  for (;;) {
    int status = 0;
    const long pid = call(SYS_wait4, -1, &status, kWaitAll | (block ? 0 : kNoHang), nullptr);
    if (pid == kErrInterrupted) continue;
    if (pid == kErrNoChild) seen.none_left = true;
    if (pid <= 0) return;
    if ((status & 0xff) == 0x7f) {  // stopped, not ended: only a traced process tells
      if (pid == task.main_pid) on_traced_stop(task, status);
      continue;
    }
    if (task.family) {
      tell_reaped(task, pid, status);
      continue;
    }
    if (pid == task.main_pid) {
      seen.main_ended = true;
      seen.wait_status = status;
      return;
    }
  }
}

void end_everything(const InitTask& task) {
  // Pid 1 of a pid namespace reaches all others by -1; elsewhere everyone is in the guest's group,
  // which the guest cannot leave.
  call(SYS_kill, task.group_kill ? -task.main_pid : -1, kSigkill);
}

[[noreturn]] void finish(const InitTask& task, int wait_status) {
  end_everything(task);
  Reaped rest;
  while (!rest.none_left)
    reap({task.status_fd, task.host_fd, -1, task.group_kill, false, false}, true, rest);
  if (already_reported()) raw::exit_now(0);
  ResourceUsage usage = {};
  call(SYS_getrusage, -1 /* RUSAGE_CHILDREN */, &usage);
  Report report = {};
  report.kind = ReportKind::Exited;
  report.wait_status = wait_status;
  report.peak_kib = static_cast<uint64_t>(usage.peak_kib);
  add(report.user_us, usage.user);
  add(report.system_us, usage.system);
  send_report(task.status_fd, report, -1);
  raw::exit_now(0);
}

}  // namespace

void init_loop(const InitTask& task) {
  // SIGCHLD stays blocked but for the moment of waiting, so none is lost in between. Its default
  // action is "ignore", which does not interrupt ppoll: an empty handler does.
  struct {
    void (*handler)(int);
    uint64_t flags;
    void (*restorer)();
    uint64_t mask;
  } action = {};
  extern void cove_return_from_signal() asm("cove_return_from_signal");
  extern void cove_ignore_signal(int) asm("cove_ignore_signal");
  action.handler = cove_ignore_signal;
  action.flags = 0x04000000;  // SA_RESTORER
  action.restorer = cove_return_from_signal;
  uint64_t block = uint64_t{1} << (17 - 1);
  const uint64_t open_mask = 0;
  call(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &block, nullptr, 8);
  call(SYS_rt_sigaction, 17, &action, nullptr, 8);
  drop_everything(task);
  lock_down();
  Reaped seen;
  for (;;) {
    reap(task, false, seen);
    if (!task.family && (seen.main_ended || seen.none_left)) finish(task, seen.wait_status);
    struct {
      int fd;
      short events, revents;
    } watch[2] = {{task.host_fd, 1 /* POLLIN */, 0}, {task.status_fd, 0, 0}};
    const long ready = call(SYS_ppoll, watch, 2, nullptr, &open_mask, 8);
    if (ready > 0) {
      // The Cove process is gone, or has dropped this guest.
      end_everything(task);
      raw::exit_now(1);
    }
  }
}

}  // namespace cove::sandbox

extern "C" {
[[gnu::used]] void cove_ignore_signal(int) {}
}
#if defined(__x86_64__)
asm(R"(
.globl cove_return_from_signal
cove_return_from_signal:
  mov $15, %eax
  syscall
)");
#elif defined(__aarch64__)
asm(R"(
.globl cove_return_from_signal
cove_return_from_signal:
  mov x8, #139
  svc 0
)");
#endif
