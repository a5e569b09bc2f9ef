#include "sandbox/rlimits.h"

#include <sys/resource.h>

namespace cove::sandbox {
namespace {

constexpr std::uint64_t kStack = 8U << 20U;
constexpr std::uint64_t kMostStack = 64U << 20U;  // what recursive programs ask for

}  // namespace

void add_rlimits(SetupPlan& plan, const SandboxSpec& spec) {
  const auto limit = [&](std::uint64_t resource, std::uint64_t value) {
    plan.add({.kind = StepKind::Rlimit, .a = resource, .b = value});
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, spec.descriptors);
  limit(RLIMIT_MEMLOCK, 64U << 10U);
  limit(RLIMIT_MSGQUEUE, 0);
  limit(RLIMIT_RTPRIO, 0);
  limit(RLIMIT_NICE, 0);
  limit(RLIMIT_SIGPENDING, 1024);
  // One file may not be larger than the whole disk; the tmpfs bounds the sum.
  limit(RLIMIT_FSIZE, spec.disk_bytes);
  // Counted by the guest's own user namespace, so one guest cannot use up another's share. The init
  // is counted too. At the landlock level there is no such namespace: the user's whole count.
  if (spec.level == Level::Namespaces || spec.can_change_ids) {
    // With a control group that one is to refuse first: only it is counted (limits_hit).
    const bool group = spec.memory_control == MemoryControl::Cgroup && spec.processes > 1;
    const std::uint64_t spare = group ? 16 : 1;
    // Members of a family have a group each, and this count in common.
    const std::uint64_t shares = spec.family && group ? 16 : 1;
    limit(RLIMIT_NPROC, std::uint64_t{spec.processes} * shares + spare);
  }
  // As programs are used to. Stack is not data: without a control group it must have an end, too.
  plan.add({.kind = StepKind::Rlimit,
            .a = RLIMIT_STACK,
            .b = kStack,
            .c = spec.memory_control == MemoryControl::PerProcess ? kMostStack : RLIM_INFINITY});
  // Never RLIMIT_AS: node and other collectors reserve far more address space than they use.
  if (spec.memory_control == MemoryControl::PerProcess) limit(RLIMIT_DATA, spec.memory_bytes);
  // SIGXCPU first, which says what happened; SIGKILL a second later for those who do not listen.
  if (spec.cpu_seconds) {
    plan.add({.kind = StepKind::Rlimit,
              .a = RLIMIT_CPU,
              .b = *spec.cpu_seconds,
              .c = *spec.cpu_seconds + 1});
  }
}

}  // namespace cove::sandbox
