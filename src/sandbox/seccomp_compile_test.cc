#include "sandbox/seccomp_compile.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include <asm/ioctls.h>
#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kOtherArch = AUDIT_ARCH_I386;
#else
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kOtherArch = AUDIT_ARCH_ARM;
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint64_t kRubbish = 0xdeadbeef00000000;

constexpr std::uint32_t refused(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

// The part of classic BPF that a seccomp filter may use, as the kernel runs it. Anything that the
// kernel would not load ends the test.
class Filter {
 public:
  explicit Filter(const std::string& program) : code_(program.size() / sizeof(sock_filter)) {
    EXPECT_EQ(program.size() % sizeof(sock_filter), 0U);
    EXPECT_LE(code_.size(), std::size_t{BPF_MAXINSNS});
    std::memcpy(code_.data(), program.data(), program.size());
  }

  std::uint32_t run(const seccomp_data& data) const {
    std::uint32_t accumulator = 0;
    for (std::size_t at = 0; at < code_.size(); ++at) {
      const sock_filter& op = code_[at];
      switch (op.code) {
        case BPF_LD | BPF_W | BPF_ABS:
          EXPECT_EQ(op.k % 4, 0U);
          EXPECT_LE(op.k + sizeof accumulator, sizeof data);
          std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + op.k,
                      sizeof accumulator);
          break;
        case BPF_ALU | BPF_AND | BPF_K:
          accumulator &= op.k;
          break;
        case BPF_JMP | BPF_JA:
          at += op.k;
          break;
        case BPF_JMP | BPF_JEQ | BPF_K:
          at += accumulator == op.k ? op.jt : op.jf;
          break;
        case BPF_JMP | BPF_JGE | BPF_K:
          at += accumulator >= op.k ? op.jt : op.jf;
          break;
        case BPF_JMP | BPF_JGT | BPF_K:
          at += accumulator > op.k ? op.jt : op.jf;
          break;
        case BPF_RET | BPF_K:
          return op.k;
        default:
          ADD_FAILURE() << "instruction " << at << " has code " << op.code;
          return kKill;
      }
    }
    ADD_FAILURE() << "the program runs off its end";
    return kKill;
  }

  std::uint32_t call(long number, std::array<std::uint64_t, 6> args = {}) const {
    seccomp_data data = {};
    data.nr = static_cast<int>(number);
    data.arch = kArch;
    for (std::size_t i = 0; i < args.size(); ++i) data.args[i] = args[i];
    return run(data);
  }

 private:
  std::vector<sock_filter> code_;
};

struct Kind {
  Level level = Level::Namespaces;
  bool network = false;
  MemoryControl memory = MemoryControl::Cgroup;
};

constexpr std::array kKinds = {
    Kind{Level::Namespaces, false, MemoryControl::Cgroup},
    Kind{Level::Namespaces, false, MemoryControl::PerProcess},
    Kind{Level::Namespaces, true, MemoryControl::Cgroup},
    Kind{Level::Namespaces, true, MemoryControl::PerProcess},
    Kind{Level::Landlock, false, MemoryControl::Cgroup},
    Kind{Level::Landlock, false, MemoryControl::PerProcess},
    Kind{Level::Landlock, true, MemoryControl::Cgroup},
    Kind{Level::Landlock, true, MemoryControl::PerProcess},
};

Filter filter_for(Kind kind) {
  SandboxSpec spec;
  spec.level = kind.level;
  spec.network = kind.network;
  spec.memory_control = kind.memory;
  const auto program = seccomp_program(spec);
  EXPECT_TRUE(program.has_value());
  return Filter(program.value_or(""));
}

constexpr Kind kPlain = {};
constexpr Kind kLandlock = {.level = Level::Landlock};

TEST(SeccompFilter, OrdinaryCallsPassAtEveryLevel) {
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    for (const long number :
         {SYS_read, SYS_write, SYS_openat, SYS_close, SYS_execve, SYS_exit_group, SYS_wait4,
          SYS_futex, SYS_brk, SYS_mprotect, SYS_getrandom, SYS_kill, SYS_clock_gettime, SYS_ppoll,
          SYS_rt_sigreturn, SYS_getdents64}) {
      EXPECT_EQ(filter.call(number), kAllow) << number;
    }
  }
}

TEST(SeccompFilter, WhatNobodyKnowsIsNotImplemented) {
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    for (const long number : {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_keyctl,
                              SYS_add_key, SYS_request_key, 999, 5000, 0x3fffffff}) {
      EXPECT_EQ(filter.call(number), refused(ENOSYS)) << number;
    }
  }
}

TEST(SeccompFilter, WhatEscapesAreMadeOfIsNotPermitted) {
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    for (const long number :
         {SYS_ptrace,           SYS_bpf,         SYS_mount,      SYS_umount2,
          SYS_unshare,          SYS_setns,       SYS_pivot_root, SYS_userfaultfd,
          SYS_perf_event_open,  SYS_init_module, SYS_kexec_load, SYS_open_by_handle_at,
          SYS_process_vm_readv, SYS_open_tree,   SYS_move_mount, SYS_fsopen,
          SYS_reboot,           SYS_personality, SYS_chroot,     SYS_pidfd_getfd,
          SYS_settimeofday}) {
      EXPECT_EQ(filter.call(number), refused(EPERM)) << number;
    }
  }
}

TEST(SeccompFilter, CallsOfAnotherArchitectureKill) {
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    for (const int number : {0, 1, 11, 59}) {
      seccomp_data data = {};
      data.nr = number;
      data.arch = kOtherArch;
      EXPECT_EQ(filter.run(data), kKill) << number;
    }
    EXPECT_EQ(filter.call(0x40000000L | SYS_read), kKill);  // x32
    EXPECT_EQ(filter.call(0x40000000L | 520), kKill);
    EXPECT_EQ(filter.call(-1), kKill);
  }
}

TEST(SeccompFilter, CloneMakesThreadsAndProcessesButNoNamespaces) {
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    EXPECT_EQ(filter.call(SYS_clone, {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}), kAllow);
    EXPECT_EQ(filter.call(SYS_clone, {17}), kAllow);
    for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
                                     CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
      EXPECT_EQ(filter.call(SYS_clone, {flag | 17}), refused(EPERM)) << flag;
      EXPECT_EQ(filter.call(SYS_clone, {kRubbish | flag | 17}), refused(EPERM)) << flag;
    }
  }
}

TEST(SeccompFilter, ATerminalCannotBeFedWhateverStandsInTheUpperHalf) {
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    EXPECT_EQ(filter.call(SYS_ioctl, {0, TCGETS}), kAllow);
    EXPECT_EQ(filter.call(SYS_ioctl, {0, FIONREAD}), kAllow);
    for (const std::uint64_t request : {TIOCSTI, TIOCLINUX}) {
      EXPECT_EQ(filter.call(SYS_ioctl, {0, request}), refused(EPERM));
      EXPECT_EQ(filter.call(SYS_ioctl, {0, kRubbish | request}), refused(EPERM));
    }
  }
}

TEST(SeccompFilter, WithoutNetworkOnlyLocalSocketsCanBeMade) {
  const Filter filter = filter_for(kPlain);
  EXPECT_EQ(filter.call(SYS_socket, {AF_UNIX, SOCK_STREAM}), kAllow);
  EXPECT_EQ(filter.call(SYS_socket, {kRubbish | AF_UNIX, SOCK_STREAM}), kAllow);
  EXPECT_EQ(filter.call(SYS_socketpair, {AF_UNIX, SOCK_DGRAM}), kAllow);
  EXPECT_EQ(filter.call(SYS_connect), kAllow);
  for (const std::uint64_t family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG}) {
    EXPECT_EQ(filter.call(SYS_socket, {family, SOCK_STREAM}), refused(EAFNOSUPPORT)) << family;
    EXPECT_EQ(filter.call(SYS_socket, {kRubbish | family}), refused(EAFNOSUPPORT)) << family;
  }
}

TEST(SeccompFilter, ANetworkMeansInternetSocketsAndRouteQuestionsOnly) {
  for (const Kind kind : kKinds) {
    if (!kind.network) continue;
    const Filter filter = filter_for(kind);
    EXPECT_EQ(filter.call(SYS_socket, {AF_INET, SOCK_STREAM}), kAllow);
    EXPECT_EQ(filter.call(SYS_socket, {AF_INET6, SOCK_DGRAM}), kAllow);
    EXPECT_EQ(filter.call(SYS_socket, {AF_NETLINK, SOCK_RAW, 0}), kAllow);
    EXPECT_EQ(filter.call(SYS_socket, {AF_NETLINK, SOCK_RAW, 9}), refused(EAFNOSUPPORT));
    EXPECT_EQ(filter.call(SYS_socket, {AF_PACKET, SOCK_RAW}), refused(EAFNOSUPPORT));
    EXPECT_EQ(filter.call(SYS_socket, {AF_VSOCK, SOCK_STREAM}), refused(EAFNOSUPPORT));
    EXPECT_EQ(filter.call(SYS_bind), kAllow);
  }
}

TEST(SeccompFilter, AtTheLandlockLevelOnlyConnectedPairsRemain) {
  const Filter filter = filter_for(kLandlock);
  EXPECT_EQ(filter.call(SYS_socketpair, {AF_UNIX, SOCK_STREAM}), kAllow);
  EXPECT_EQ(filter.call(SYS_socketpair, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC}), kAllow);
  EXPECT_EQ(filter.call(SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET}), kAllow);
  // sendto on a datagram pair would take the address of a host socket.
  EXPECT_EQ(filter.call(SYS_socketpair, {AF_UNIX, SOCK_DGRAM}), refused(EAFNOSUPPORT));
  EXPECT_EQ(filter.call(SYS_socketpair, {AF_UNIX, SOCK_RAW}), refused(EAFNOSUPPORT));
  EXPECT_EQ(filter.call(SYS_socket, {AF_UNIX, SOCK_STREAM}), refused(EAFNOSUPPORT));
  for (const long number : {SYS_bind, SYS_connect, SYS_listen}) {
    EXPECT_EQ(filter.call(number), refused(EACCES)) << number;
  }
}

TEST(SeccompFilter, LeavingTheGroupSucceedsWithoutEffectWhereTheGroupIsWhatIsKilled) {
  EXPECT_EQ(filter_for(kLandlock).call(SYS_setsid), refused(0));
  EXPECT_EQ(filter_for(kLandlock).call(SYS_setpgid), refused(0));
  EXPECT_EQ(filter_for(kPlain).call(SYS_setsid), kAllow);
  EXPECT_EQ(filter_for(kPlain).call(SYS_setpgid), kAllow);
}

TEST(SeccompFilter, WithoutAGroupMemoryThatNobodyCountsIsRefused) {
  const std::uint64_t shared_anonymous = MAP_SHARED | MAP_ANONYMOUS;
  const std::uint64_t private_anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    const bool counted = kind.memory == MemoryControl::Cgroup;
    EXPECT_EQ(filter.call(SYS_mmap, {0, 4096, 3, private_anonymous}), kAllow);
    EXPECT_EQ(filter.call(SYS_mmap, {0, 4096, 1, MAP_PRIVATE, 3}), kAllow);
    EXPECT_EQ(filter.call(SYS_mmap, {0, 4096, 3, MAP_SHARED, 3}), kAllow);
    EXPECT_EQ(filter.call(SYS_mmap, {0, 4096, 3, shared_anonymous}) == kAllow, counted);
    EXPECT_EQ(filter.call(SYS_mmap, {0, 4096, 3, kRubbish | shared_anonymous}) == kAllow, counted);
    const std::uint64_t stack = private_anonymous | MAP_GROWSDOWN;
    EXPECT_EQ(filter.call(SYS_mmap, {0, 4096, 3, stack}) == kAllow, counted);
    const std::uint32_t enlarged = filter.call(SYS_setsockopt, {3, SOL_SOCKET, SO_SNDBUF});
    EXPECT_EQ(enlarged, counted ? kAllow : refused(0)) << "taken, without effect";
    const bool own_ipc = kind.level == Level::Namespaces;
    for (const long number : {SYS_memfd_create, SYS_shmget, SYS_msgget, SYS_mq_open}) {
      EXPECT_EQ(filter.call(number), counted && own_ipc ? kAllow : refused(EPERM)) << number;
    }
  }
}

TEST(SeccompFilter, LandlockDoesNotGuardWhatAFileSaysOfItselfSoTheFilterDoes) {
  for (const long number : {SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_utimensat}) {
    EXPECT_EQ(filter_for(kLandlock).call(number), refused(EPERM)) << number;
    EXPECT_EQ(filter_for(kPlain).call(number), kAllow) << number;
  }
  // Through a descriptor too: one that may only read is enough.
  const Filter landlock = filter_for(kLandlock);
  EXPECT_EQ(landlock.call(SYS_fchmod), refused(EPERM));
  EXPECT_EQ(landlock.call(SYS_ioctl, {3, kRubbish | FS_IOC_SETFLAGS}), refused(EPERM));
  EXPECT_EQ(filter_for(kPlain).call(SYS_ioctl, {3, FS_IOC_SETFLAGS}), kAllow);
}

TEST(SeccompFilter, AtTheLandlockLevelAProcessTunesOnlyItself) {
  const Filter landlock = filter_for(kLandlock);
  const Filter plain = filter_for(kPlain);
  for (const long number : {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler}) {
    EXPECT_EQ(landlock.call(number, {0}), kAllow) << number;
    EXPECT_EQ(landlock.call(number, {kRubbish}), kAllow) << number;
    EXPECT_NE(landlock.call(number, {1234}), kAllow) << number;
    EXPECT_EQ(plain.call(number, {1234}), kAllow) << number;
  }
  EXPECT_EQ(landlock.call(SYS_setpriority, {PRIO_PROCESS, 0}), kAllow);
  EXPECT_NE(landlock.call(SYS_setpriority, {PRIO_PROCESS, 1}), kAllow);
  EXPECT_NE(landlock.call(SYS_setpriority, {PRIO_USER, 0}), kAllow);
}

TEST(SeccompFilter, NobodyIsMadeToWaitByALease) {
  constexpr std::uint64_t kSetLease = 1024;
  for (const Kind kind : kKinds) {
    const Filter filter = filter_for(kind);
    EXPECT_EQ(filter.call(SYS_fcntl, {3, F_SETFL}), kAllow);
    EXPECT_EQ(filter.call(SYS_fcntl, {3, kSetLease}), refused(EACCES));
    EXPECT_EQ(filter.call(SYS_fcntl, {3, kRubbish | kSetLease}), refused(EACCES));
  }
}

TEST(SeccompFilter, TheSameKindOfSandboxGetsTheSameProgram) {
  SandboxSpec one;
  SandboxSpec other;
  other.memory_bytes = 1;
  EXPECT_EQ(seccomp_program(one).value(), seccomp_program(other).value());
  other.network = true;
  EXPECT_NE(seccomp_program(one).value(), seccomp_program(other).value());
}

}  // namespace
}  // namespace cove::sandbox
