// Cases 16–24: memory. With a control group the whole tree is bounded; without one each process is
// (capability `memory: per_process`), and what would escape that is denied.
#include "attack_fixture.h"
#include "host_limits.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

void expect_oom(const ExecutionResult& result) {
  EXPECT_EQ(result.status, ExecutionStatus::Oom) << describe(result);
  EXPECT_TRUE(result.oom);
  EXPECT_TRUE(hit(result, LimitHit::Memory));
  EXPECT_FALSE(result.exit_code.has_value());
}

TEST_P(Attack, Case16AllocateUntilOom) {
  const auto result = attack("16_allocate.py", "cgroup memory, or RLIMIT_DATA");
  if (cgroup()) return expect_oom(result);
  EXPECT_EQ(able_.memory, LimitReach::PerProcess);
  expect_facts(result, {{"stopped", "MemoryError"}});
  EXPECT_LE(number(seen(result), "mib"), 128);
  EXPECT_GE(number(seen(result), "mib"), 64);
}

TEST_P(Attack, Case17ChildAllocates) {
  const auto result = attack("17_child_allocates.py", "cgroup memory, or RLIMIT_DATA");
  if (cgroup()) return expect_oom(result);
  EXPECT_EQ(able_.memory, LimitReach::PerProcess);
  EXPECT_EQ(number(seen(result), "child_exit"), 33) << describe(result);
}

TEST_P(Attack, Case18LocksMemory) {
  const RaisedLimit raised(RLIMIT_MEMLOCK, RLIM_INFINITY);
  const auto result = attack("18_locks_memory.py", "RLIMIT_MEMLOCK");
  expect_facts(result, {{"mlockall", "ENOMEM"}, {"map_locked", "EAGAIN"}});
}

TEST_P(Attack, Case19FillsSharedMemoryFiles) {
  const auto result = attack("19_fills_shm.py", "size of the one tmpfs, or landlock");
  if (namespaces()) {
    expect_facts(result, {{"/dev/shm", "ENOSPC"}, {"/tmp", "ENOSPC"}, {"workspace", "ENOSPC"}});
    EXPECT_LE(number(seen(result), "total"), static_cast<std::int64_t>(kDisk));
    EXPECT_TRUE(hit(result, LimitHit::Disk)) << describe(result);
    return;
  }
  expect_facts(result, {{"/dev/shm", "EACCES"}, {"/tmp", "EACCES"}});
  EXPECT_EQ(able_.disk, LimitReach::None);
  EXPECT_TRUE(declared("disk use is not bounded"));
}

TEST_P(Attack, Case19TmpfsCountsAsMemory) {
  if (!can_limit_disk()) {  // no tmpfs at this level: asking for its limit is refused
    ExecutionRequest asks = program("19_fills_shm.py");
    asks.limits.disk = Bytes::mib(256);
    const auto refused = execute(asks);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("disk limits"), std::string::npos);
    return;
  }
  may_run_cold();
  ExecutionRequest request = program("19_fills_shm.py");
  request.limits.disk = Bytes::mib(256);
  const auto result = attack(request, "cgroup memory, or size of the one tmpfs");
  if (cgroup()) return expect_oom(result);
  EXPECT_LE(number(seen(result), "total"), 256 << 20);
}

TEST_P(Attack, Case20MemfdBomb) {
  const auto result = attack("20_memfd_bomb.py", "cgroup memory, or seccomp EPERM");
  if (cgroup() && namespaces()) return expect_oom(result);
  expect_facts(result, {{"stopped", "EPERM"}});
}

// Either the group runs out of memory, or a limit of the kernel's own for descriptors or users.
class KernelBuffers : public Attack {
 protected:
  void bounded(const char* kind, std::int64_t most) {
    ExecutionRequest request = program("21_kernel_buffers.py");
    request.args = {kind};
    const auto result = attack(request, "cgroup memory, or RLIMIT_NOFILE");
    if (result.status == ExecutionStatus::Oom) {
      EXPECT_TRUE(cgroup());
      return;
    }
    EXPECT_TRUE(result.is_success()) << describe(result);
    EXPECT_LE(number(seen(result), "total"), most) << describe(result);
  }
};

TEST_P(KernelBuffers, Case21Pipes) {
  bounded("pipe", 128 << 20);
}
TEST_P(KernelBuffers, Case21Sockets) {
  bounded("socket", 128 << 20);
}
TEST_P(KernelBuffers, Case21Epoll) {
  bounded("epoll", 256);
}
TEST_P(KernelBuffers, Case21Inotify) {
  bounded("inotify", 256);
}

TEST_P(KernelBuffers, Case21SharedMemorySegments) {
  ExecutionRequest request = program("21_kernel_buffers.py");
  request.args = {"shm"};
  const auto result = attack(request, "cgroup memory, or seccomp EPERM");
  if (cgroup() && namespaces()) return expect_oom(result);
  expect_facts(result, {{"stopped", "EPERM"}});
}

TEST_P(KernelBuffers, Case21MessageQueues) {
  ExecutionRequest request = program("21_kernel_buffers.py");
  request.args = {"msg"};
  const auto result = attack(request, "cgroup memory, or seccomp EPERM");
  if (cgroup() && namespaces()) return expect_oom(result);
  expect_facts(result, {{"stopped", "EPERM"}});
}

INSTANTIATE_TEST_SUITE_P(, KernelBuffers, ::testing::Values(Start::Cold, Start::Warm),
                         ::testing::PrintToStringParamName());

TEST_P(Attack, Case22WritesSysctl) {
  const auto result = attack("22_writes_sysctl.py", "owner of procfs; landlock");
  expect_facts(result, {{"overcommit", "EACCES"},
                        {"core_pattern", "EACCES"},
                        {"drop_caches", "EACCES"},
                        {"ping_range", "EACCES"},
                        {"max_pids", "EACCES"},
                        {"userns", "EACCES"}});
  for (const char* name : {"modprobe", "sysrq"}) {  // not every kernel has them
    const std::string error = fact(seen(result), name);
    EXPECT_TRUE(error == "EACCES" || error == "ENOENT") << name << ": " << error;
  }
}

TEST_P(Attack, Case23StackOverflow) {
  const RaisedLimit stack(RLIMIT_STACK, RLIM_INFINITY);
  const RaisedLimit core(RLIMIT_CORE, RLIM_INFINITY);
  const auto result = attack("23_overflows_stack.py", "RLIMIT_STACK");
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_EQ(result.signal.value_or(""), "SIGSEGV");
  EXPECT_EQ(result.stdout_data, "falling\n");
  EXPECT_TRUE(result.output_files.empty()) << "a core file: " << describe(result);
}

// Stack is not data: where only RLIMIT_DATA bounds memory, a guest could have any amount of it.
TEST_P(Attack, Case23StackIsBounded) {
  const RaisedLimit stack(RLIMIT_STACK, RLIM_INFINITY);
  const auto facts = seen(attack("23_raises_stack.py", "RLIMIT_STACK"));
  EXPECT_EQ(number(facts, "soft"), 8 << 20);
  if (cgroup()) return;  // counted like all other memory
  EXPECT_EQ(number(facts, "hard"), 64 << 20);
  EXPECT_NE(fact(facts, "endless"), "OK");
}

TEST_P(Attack, Case24Userfaultfd) {
  const auto result = attack("24_userfaultfd.py", "seccomp EPERM");
  expect_facts(result, {{"userfaultfd", "EPERM"}, {"user_mode_only", "EPERM"}});
}

}  // namespace
}  // namespace cove::attack
