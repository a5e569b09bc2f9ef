// What a guest is from the start, before it tries anything: its rights, its namespaces, its mounts,
// its user. Layers that others stand behind are seen here, where no other would hide their absence.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "attack_fixture.h"
#include "host_processes.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

// Everything that a capability could come back from, for the first process, a thread and a child.
TEST_P(Attack, StandingRights) {
  const auto result = attack("h13_own_status.py", "capabilities; no_new_privs; seccomp");
  if (namespaces()) {
    expect_each(result, {"main", "thread", "child"}, "0 0 0 0 0 1 2");
    return;
  }
  // Without a namespace nobody but root may empty the bounding set: no_new_privs makes it useless.
  const std::string main = fact(seen(result), "main");
  EXPECT_TRUE(main.starts_with("0 0 0 ")) << main;
  EXPECT_TRUE(main.ends_with(" 0 1 2")) << main;
  expect_facts(result, {{"child", "cannot look"}});  // Landlock shows a process only itself
}

TEST_P(Attack, StandingNamespaces) {
  if (!namespaces()) return;
  const auto result = attack("h15_own_namespaces.py", "namespaces");
  const auto facts = seen(result);
  for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
    const auto ours = std::filesystem::read_symlink(fmt::format("/proc/self/ns/{}", kind));
    EXPECT_TRUE(fact(facts, kind).starts_with(kind)) << fact(facts, kind);
    EXPECT_NE(fact(facts, kind), ours.string());
  }
  EXPECT_EQ(fact(facts, "interfaces"), R"(["lo"])");
}

TEST_P(Attack, StandingMounts) {
  if (!namespaces()) return;
  const auto result = attack("h14_mount_flags.py", "flags of the mounts");
  expect_facts(result, {{"lacking", "{}"}, {"scratch", "EACCES"}, {"door", "EROFS"}});
}

// Hosts differ in what they allow; a guest's limits do not, but where the host's own are lower.
TEST_P(Attack, StandingLimits) {
  const auto result = attack("h17_own_limits.py", "rlimits");
  const auto both = [](__rlimit_resource_t what, rlim_t value) {
    rlimit own = {};
    ::getrlimit(what, &own);
    const rlim_t least = std::min(value, own.rlim_max);
    return fmt::format("[{},{}]", least, least);
  };
  expect_facts(result, {{"CORE", "[0,0]"},
                        {"NOFILE", both(RLIMIT_NOFILE, 256)},
                        {"MEMLOCK", both(RLIMIT_MEMLOCK, 64 << 10)},
                        {"MSGQUEUE", "[0,0]"},
                        {"RTPRIO", "[0,0]"},
                        {"NICE", "[0,0]"},
                        {"SIGPENDING", both(RLIMIT_SIGPENDING, 1024)},
                        {"FSIZE", both(RLIMIT_FSIZE, kDisk)}});
  if (namespaces()) {
    expect_facts(result, {{"NPROC", both(RLIMIT_NPROC, kProcesses + (cgroup() ? 16 : 1))}});
  }
}

// As root no two guests share a user of the host, and none is root.
TEST_P(Attack, StandingUsers) {
  const std::string name = fmt::format("shown-{}", ::getpid());
  std::vector<std::thread> runs;
  for (int i = 0; i < 2; ++i) {
    runs.emplace_back([&] {
      ExecutionRequest request = program("h16_shows_itself.py");
      request.args = {name};
      const auto result = execute(request);
      EXPECT_TRUE(result && result->is_success());
    });
  }
  std::vector<int> found;
  for (int i = 0; i < 200 && found.size() < 2; ++i) {
    std::this_thread::sleep_for(10ms);
    found = processes_named(name);
  }
  std::set<long> users;
  for (const int pid : found) users.insert(uid_of(pid));
  for (auto& run : runs) run.join();
  ASSERT_EQ(found.size(), 2U) << "the guests were not seen";
  if (::geteuid() == 0) {
    EXPECT_EQ(users.size(), 2U) << "two guests are one user of the host";
    EXPECT_FALSE(users.contains(0));
  } else {
    EXPECT_EQ(users, std::set<long>{static_cast<long>(::geteuid())});
  }
}

}  // namespace
}  // namespace cove::attack
