#include "sandbox/seccomp_rules.h"

#include <linux/fs.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>

#include <asm/ioctls.h>

namespace cove::sandbox {
namespace {

constexpr std::uint64_t kNewNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                         CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP |
                                         CLONE_NEWTIME;
constexpr std::uint64_t kLow32 = 0xffffffff;
constexpr std::uint64_t kSetLease = 1024;  // F_SETLEASE, which <fcntl.h> gives only to GNU programs

// clang-format off: lists that are read as text.
// Ordinary programs' calls: no power beyond the process's own files, memory, children and time.
constexpr std::string_view kFiles[] = {
    "access", "chdir", "close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fcntl", "fdatasync",
    "fgetxattr", "flistxattr", "flock", "fstat", "fstatfs", "fsync", "ftruncate", "getcwd",
    "getdents", "getdents64", "getxattr", "inotify_init", "inotify_init1", "inotify_rm_watch",
    "lgetxattr", "link", "linkat", "listxattr", "llistxattr", "lseek", "lstat", "mkdir", "mkdirat",
    "mknod", "mknodat", "newfstatat", "open", "openat", "openat2", "pipe", "pipe2", "pread64",
    "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlink",
    "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile", "splice", "stat",
    "statfs", "statx", "symlink", "symlinkat", "sync", "sync_file_range", "syncfs", "tee",
    "truncate", "umask", "unlink", "unlinkat", "vmsplice", "write", "writev"};
// Changing what a file says about itself, by path or through a descriptor that may only read, and
// watching what happens in a directory: Landlock does not guard these.
constexpr std::string_view kMetadata[] = {
    "fchmod", "fchown", "fremovexattr", "fsetxattr", "inotify_add_watch", "chmod", "chown",
    "fchmodat", "fchmodat2", "fchownat", "futimesat", "lchown", "lremovexattr", "lsetxattr",
    "removexattr", "setxattr", "utime", "utimensat", "utimes"};
constexpr std::string_view kMemory[] = {
    "brk", "get_mempolicy", "madvise", "membarrier", "mincore", "mlock", "mlock2", "mlockall",
    "mprotect", "mremap", "msync", "munlock", "munlockall", "munmap", "pkey_alloc", "pkey_free",
    "pkey_mprotect", "map_shadow_stack", "set_mempolicy", "mbind"};
constexpr std::string_view kProcesses[] = {
    "arch_prctl", "capget", "capset", "execve", "execveat", "exit", "exit_group", "fork", "futex",
    "futex_requeue", "futex_wait", "futex_waitv", "futex_wake", "get_robust_list",
    "get_thread_area", "getcpu", "getegid", "geteuid", "getgid", "getgroups", "getitimer",
    "getpgid", "getpgrp", "getpid", "getppid", "getpriority", "getrandom", "getresgid", "getresuid",
    "getrlimit", "getrusage", "getsid", "gettid", "getuid", "ioprio_get", "kill",
    "landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self", "pause", "pidfd_open",
    "pidfd_send_signal", "prctl", "restart_syscall", "rseq", "rt_sigaction", "rt_sigpending",
    "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
    "rt_tgsigqueueinfo", "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity",
    "sched_getattr", "sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_yield",
    "seccomp", "set_robust_list", "set_thread_area", "set_tid_address", "setfsgid", "setfsuid",
    "setgid", "setgroups", "setitimer", "setregid", "setresgid", "setresuid", "setreuid",
    "setrlimit", "setuid", "sigaltstack", "signalfd", "signalfd4", "sysinfo", "tgkill", "times",
    "tkill", "uname", "vfork", "wait4", "waitid"};
// How a process runs, by its number: 0 is the caller. Without a pid namespace other numbers are the
// host's, and a guest of the same user could starve the Cove process.
constexpr std::string_view kTuning[] = {
    "prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"};
constexpr std::string_view kTimeAndEvents[] = {
    "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_create", "epoll_create1",
    "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "gettimeofday",
    "nanosleep", "poll", "ppoll", "pselect6", "select", "time", "timer_create", "timer_delete",
    "timer_getoverrun", "timer_gettime", "timer_settime", "timerfd_create", "timerfd_gettime",
    "timerfd_settime"};
constexpr std::string_view kSocketUse[] = {
    "accept", "accept4", "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg",
    "recvmsg", "sendmmsg", "sendmsg", "sendto", "setsockopt", "shutdown"};
constexpr std::string_view kSocketReach[] = {"bind", "connect", "listen"};
constexpr std::string_view kSharedMemory[] = {
    "memfd_create", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend",
    "mq_unlink", "msgctl", "msgget", "msgrcv", "msgsnd", "semctl", "semget", "semop", "semtimedop",
    "shmat", "shmctl", "shmdt", "shmget"};

// Known, and refused with a plain "not permitted": the kernel surface that escapes are made of.
constexpr std::string_view kRefused[] = {
    "acct", "bpf", "chroot", "clock_adjtime", "clock_settime", "adjtimex", "settimeofday",
    "delete_module", "finit_module", "init_module", "fanotify_init", "fanotify_mark", "fsconfig",
    "fsmount", "fsopen", "fspick", "ioperm", "iopl", "kcmp", "kexec_file_load", "kexec_load",
    "lookup_dcookie", "migrate_pages", "mount", "mount_setattr", "move_mount", "move_pages",
    "name_to_handle_at", "nfsservctl", "open_by_handle_at", "open_tree", "perf_event_open",
    "personality", "pidfd_getfd", "pivot_root", "process_madvise", "process_mrelease",
    "process_vm_readv", "process_vm_writev", "ptrace", "quotactl", "quotactl_fd", "reboot",
    "setdomainname", "sethostname", "setns", "swapoff", "swapon", "syslog", "umount2", "unshare",
    "userfaultfd", "vhangup"};
// clang-format on

class RuleList {
 public:
  template <std::size_t N>
  void allow(const std::string_view (&names)[N]) {
    for (const auto name : names) rules_.push_back({name, SeccompAction::Allow, 0, {}, false});
  }
  template <std::size_t N>
  void refuse(const std::string_view (&names)[N], int error) {
    for (const auto name : names) rules_.push_back({name, SeccompAction::Errno, error, {}, false});
  }
  void allow_if(std::string_view name, std::vector<SeccompCondition> conditions) {
    rules_.push_back({name, SeccompAction::Allow, 0, std::move(conditions), false});
  }
  void refuse_rest(std::string_view name, int error) {
    rules_.push_back({name, SeccompAction::Errno, error, {}, false});
  }
  void refuse_first(std::string_view name, int error, SeccompCondition condition) {
    rules_.push_back({name, SeccompAction::Errno, error, {condition}, true});
  }
  std::vector<SeccompRule> take() { return std::move(rules_); }

 private:
  std::vector<SeccompRule> rules_;
};

void socket_families(RuleList& list, const SandboxSpec& spec) {
  const auto family = [](int number) {
    return SeccompCondition{0, kLow32, static_cast<std::uint64_t>(number)};
  };
  // The low bits are the type, the rest flags.
  const auto type = [](int number) {
    return SeccompCondition{1, 0xf, static_cast<std::uint64_t>(number)};
  };
  if (spec.network) {
    list.allow(kSocketReach);
    for (const int number : {AF_UNIX, AF_INET, AF_INET6}) list.allow_if("socket", {family(number)});
    // Resolvers ask for routes and addresses; other netlink protocols stay closed.
    list.allow_if("socket", {family(AF_NETLINK), {2, kLow32, 0}});
    list.allow_if("socketpair", {family(AF_UNIX)});
    return;
  }
  if (spec.level == Level::Namespaces) {
    list.allow(kSocketReach);
    list.allow_if("socket", {family(AF_UNIX)});
    list.allow_if("socketpair", {family(AF_UNIX)});
    return;
  }
  // Without a network namespace a socket that can name another could reach the host: only pairs,
  // and no datagram pair (sendto would take an address).
  list.refuse(kSocketReach, EACCES);
  for (const int number : {SOCK_STREAM, SOCK_SEQPACKET}) {
    list.allow_if("socketpair", {family(AF_UNIX), type(number)});
  }
}

void socket_rules(RuleList& list, const SandboxSpec& spec) {
  list.allow(kSocketUse);
  socket_families(list, spec);
  // What a host without that protocol says; programs know how to go on.
  list.refuse_rest("socket", EAFNOSUPPORT);
  list.refuse_rest("socketpair", EAFNOSUPPORT);
}

void process_rules(RuleList& list, const SandboxSpec& spec) {
  list.allow(kProcesses);
  list.allow_if("clone", {{0, kNewNamespaces, 0}});
  list.refuse_rest("clone", EPERM);
  constexpr std::string_view kGroups[] = {"setpgid", "setsid"};
  if (spec.level == Level::Namespaces) {
    list.allow(kGroups);
    list.allow(kTuning);
    list.allow_if("setpriority", {});
  } else {
    for (const auto name : kTuning) list.allow_if(name, {{0, kLow32, 0}});
    list.refuse(kTuning, EPERM);  // any other process
    list.allow_if("setpriority", {{0, kLow32, PRIO_PROCESS}, {1, kLow32, 0}});
    list.refuse_rest("setpriority", EPERM);
    list.refuse(kGroups, 0);  // "succeeds" without effect: one killpg must reach everyone
  }
  // A lease on a file of the same user's makes whoever opens it for writing wait.
  list.refuse_first("fcntl", EACCES, {1, kLow32, kSetLease});
  // A terminal must not be fed keystrokes or told to paste.
  for (const std::uint64_t request : {TIOCSTI, TIOCLINUX}) {
    list.refuse_first("ioctl", EPERM, {1, kLow32, request});
  }
  // Attributes of a file (chattr) are changed through a descriptor that may only read.
  for (const std::uint64_t request : {FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR}) {
    if (spec.level == Level::Landlock) list.refuse_first("ioctl", EPERM, {1, kLow32, request});
  }
  list.allow_if("ioctl", {});
}

void memory_rules(RuleList& list, const SandboxSpec& spec) {
  list.allow(kMemory);
  if (spec.memory_control == MemoryControl::Cgroup && spec.level == Level::Namespaces) {
    list.allow(kSharedMemory);
    list.allow_if("mmap", {});
    return;
  }
  // Memory that RLIMIT_DATA does not count, or that outlives the guest.
  list.refuse(kSharedMemory, EPERM);
  if (spec.memory_control == MemoryControl::Cgroup) {
    list.allow_if("mmap", {});
    return;
  }
  // A mapping that grows down counts as stack, not as data.
  for (const std::uint64_t kind : {0, MAP_SHARED, MAP_ANONYMOUS}) {
    list.allow_if("mmap", {{3, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, kind}});
  }
  // Large socket buffers are the kernel's memory: the request is taken and has no effect.
  for (const std::uint64_t option : {SO_SNDBUF, SO_RCVBUF}) {
    list.refuse_first("setsockopt", 0, {2, kLow32, option});
  }
}

}  // namespace

std::vector<SeccompRule> seccomp_rules(const SandboxSpec& spec) {
  RuleList list;
  list.allow(kFiles);
  list.allow(kTimeAndEvents);
  process_rules(list, spec);
  memory_rules(list, spec);
  socket_rules(list, spec);
  if (spec.level == Level::Namespaces) {
    list.allow(kMetadata);
  } else {
    list.refuse(kMetadata, EPERM);
  }
  list.refuse(kRefused, EPERM);
  return list.take();
}

}  // namespace cove::sandbox
