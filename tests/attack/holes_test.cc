// Holes that were measured in sandboxes of this kind (beside the list of attack cases), each
// closed.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "attack_fixture.h"
#include "base/unique_fd.h"
#include "host_file.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

// Without a control group each process has its memory: nothing may be had beside it.
class UncountedMemory : public Attack {
 protected:
  void counted(const char* kind) {
    ExecutionRequest request = program("h1_uncounted_memory.py");
    request.args = {kind};
    const auto result = attack(request, "cgroup memory, or seccomp and RLIMIT_DATA");
    if (cgroup() && result.status == ExecutionStatus::Oom) return;
    EXPECT_TRUE(result.is_success()) << describe(result);
    resident_ = number(seen(result), "resident_mib");
  }
  void expect_bounded() const { EXPECT_LE(resident_, 160); }
  std::int64_t resident_ = 0;  // MiB
};

TEST_P(UncountedMemory, SharedAnonymous) {
  counted("shared_anonymous");
  expect_bounded();
}

TEST_P(UncountedMemory, SharedValidate) {
  counted("shared_validate");
  expect_bounded();
}

TEST_P(UncountedMemory, DevZero) {
  counted("dev_zero");
  expect_bounded();
}

TEST_P(UncountedMemory, DevZeroRead) {
  counted("dev_zero_read");
  expect_bounded();
}

TEST_P(UncountedMemory, StackLike) {
  counted("stack_like");
  expect_bounded();
}
// RLIMIT_DATA counts what can be written: pages that were filled and then made read-only are free
// again. Without a control group that is bounded by watching, or declared.
TEST_P(UncountedMemory, MadeReadOnly) {
  counted("made_read_only");
  if (!declared("made read-only")) expect_bounded();
}

INSTANTIATE_TEST_SUITE_P(, UncountedMemory, ::testing::Values(Start::Cold, Start::Warm),
                         ::testing::PrintToStringParamName());

TEST_P(Attack, HoleDatagramPair) {
  const HostFile socket_path("socket");
  const UniqueFd host(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_GE(host.get(), 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string place = socket_path.directory() + "/listener";
  std::memcpy(address.sun_path, place.data(), place.size());
  ASSERT_EQ(::bind(host.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::chmod(place.c_str(), 0777), 0);
  ExecutionRequest request = program("h2_datagram_pair.py");
  request.args = {"cove-nobody", place};
  const auto result = attack(request, "mount namespace ENOENT, or seccomp EAFNOSUPPORT");
  EXPECT_TRUE(result.is_success()) << describe(result);
  if (namespaces()) {
    expect_facts(result, {{"pair", "OK"}, {"to_path", "ENOENT"}, {"stream_connect", "ENOENT"}});
  } else {
    expect_facts(
        result,
        {{"pair", kNoSuchSocket}, {"stream_connect", "EACCES"}, {"seqpacket_connect", "EACCES"}});
  }
  char byte = 0;
  EXPECT_EQ(::recv(host.get(), &byte, 1, MSG_DONTWAIT), -1) << "the guest's byte arrived";
}

void expect_untouched(const HostFile& file) {
  struct stat facts = {};
  ASSERT_EQ(::stat(file.path().c_str(), &facts), 0) << "the file is gone";
  EXPECT_EQ(facts.st_mode & 07777U, 0644U);
  EXPECT_EQ(facts.st_size, 6);
  EXPECT_GT(facts.st_mtime, 1000);
  EXPECT_EQ(read_text(file.path()), "honest");
}

TEST_P(Attack, HoleMetadataByPath) {
  const HostFile file("honest");
  ExecutionRequest request = program("h3_host_metadata.py");
  request.args = {file.path()};
  const auto result =
      attack(request, "mount namespace ENOENT, or seccomp EPERM and landlock EACCES");
  expect_each(result, {"chmod", "chown", "lchown", "utime", "setxattr"},
              by_level("ENOENT", "EPERM"));
  expect_each(result, {"truncate", "append", "unlink", "rename", "opened"},
              by_level("ENOENT", "EACCES"));
  expect_untouched(file);
}

// A file that the policy shows, read-only, to a guest of the same user.
TEST_P(Attack, HoleMetadataByDescriptor) {
  may_run_cold();
  const HostFile file("honest");
  ExecutionRequest request = program("h3_host_metadata.py");
  request.args = {file.path()};
  request.policy.filesystem.kind = FilesystemPolicy::Kind::Paths;
  request.policy.filesystem.read_only = {file.directory()};
  const auto result = attack(request, "read-only mount EROFS, or seccomp EPERM");
  const auto facts = seen(result);
  EXPECT_EQ(fact(facts, "opened"), "OK") << describe(result);
  for (const char* name : {"chmod", "chown", "utime", "setxattr", "fchmod", "fchown", "futimens",
                           "fsetxattr", "lease", "attributes", "truncate", "append", "unlink"}) {
    EXPECT_NE(fact(facts, name), "OK") << name;
  }
  expect_untouched(file);
}

TEST_P(Attack, HoleHostProcesses) {
  ExecutionRequest request = program("h4_host_processes.py");
  request.args = {std::to_string(::getpid())};
  const auto result = attack(request, "pid namespace ESRCH, or seccomp EPERM");
  const auto facts = seen(result);
  for (const char* name :
       {"set_limit", "priority", "affinity", "scheduler", "kill", "io_priority", "oom_score"}) {
    EXPECT_NE(fact(facts, name), "OK") << name;
  }
  if (namespaces()) {
    expect_facts(result, {{"set_limit", "ESRCH"}, {"priority", "ESRCH"}, {"affinity", "ESRCH"}});
  } else {
    expect_each(result, {"read_limit", "set_limit", "priority", "affinity", "scheduler", "kill"},
                "EPERM");
  }
}

TEST_P(Attack, HoleWatchesHostDirectory) {
  const HostFile file("honest");
  ExecutionRequest request = program("h5_watches_host.py");
  request.args = {file.directory()};
  const auto result = attack(request, "mount namespace ENOENT, or seccomp");
  EXPECT_NE(fact(seen(result), "watch"), "OK") << "names of the host's files can be overheard";
}

TEST_P(Attack, HoleForkBombLeavesSiblingsAlone) {
  std::thread bomber([this] {
    ExecutionRequest bomb = program("01_fork_bomb.py");
    bomb.timeout = 1500ms;
    if (!can_limit_processes()) bomb.args = {"6"};
    const auto result = execute(bomb);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->status, ExecutionStatus::Timeout) << describe(*result);
  });
  // While it burns: guests that wait already, and ones made now, can fork.
  for (int i = 0; i < 4; ++i) {
    const auto result = execute(program("h6_forks_a_little.py"));
    EXPECT_TRUE(result) << result.error().message();
    if (result) expect_facts(*result, {{"stopped", "OK"}});
  }
  bomber.join();
  RecordProperty("layer", "a user namespace a guest; cgroup pids.max");
}

TEST_P(Attack, HoleLeavesProcessGroup) {
  const auto result = attack("h7_leaves_group.py", "pid namespace, or seccomp: no effect");
  EXPECT_TRUE(result.is_success()) << describe(result);
  EXPECT_LT(result.duration, 2s);
  if (landlock()) {
    expect_facts(result, {{"setsid", "OK"},
                          {"setpgid", "OK"},
                          {"session_changed", "false"},
                          {"group_changed", "false"}});
  }
}

TEST_P(Attack, HoleAbstractSocketBetweenGuests) {
  std::thread other([this] {
    ExecutionRequest waiting = program("h8_meets_sibling.py");
    waiting.args = {"wait", "cove-rendezvous"};
    const auto heard = execute(waiting);
    ASSERT_TRUE(heard);
    if (namespaces()) expect_facts(*heard, {{"listening", "OK"}, {"heard", "EAGAIN"}});
  });
  std::this_thread::sleep_for(500ms);
  ExecutionRequest request = program("h8_meets_sibling.py");
  request.args = {"meet", "cove-rendezvous"};
  const auto result = execute(request);
  other.join();
  ASSERT_TRUE(result);
  RecordProperty("layer", "network namespace, or landlock scope of abstract sockets");
  if (landlock()) return;  // no socket at all: h8 fails at once, Case65 says how
  const auto facts = seen(*result);
  EXPECT_NE(fact(facts, "connect"), "OK");
  EXPECT_NE(fact(facts, "sendto"), "OK");
  // Guests that share an empty network see each other's names in it, though they cannot connect: a
  // network of their own, or declared.
  if (declared("names of abstract sockets")) return;
  EXPECT_EQ(fact(facts, "listed"), "false") << "a guest sees the names that its siblings bound";
  EXPECT_EQ(fact(facts, "same_name"), "OK") << "a guest notices the names that its siblings bound";
}

TEST_P(Attack, HoleOwnProc) {
  const auto result = attack("h9_own_proc.py", "capability; procfs; seccomp EPERM");
  expect_each(result, {"init_maps", "init_mem", "clear_refs", "init_syscall"}, "EACCES");
  expect_each(result, {"sti", "sti_hidden", "linux"}, "EPERM");
  const auto facts = seen(result);
  for (const char* name : {"oom_immune", "uid_map", "setgroups", "init_oom"}) {
    EXPECT_NE(fact(facts, name), "OK") << name;
  }
}

TEST_P(Attack, HoleSystemVObjects) {
  const auto made = attack("h10_ipc.py", "ipc namespace a guest, or seccomp EPERM");
  if (namespaces() && cgroup()) {
    expect_each(made, {"shmget", "semget", "msgget"}, "OK");
  } else {
    expect_each(made, {"shmget", "semget", "msgget", "mq_open"}, "EPERM");
  }
  const auto found = attack("h11_ipc_look.py", "ipc namespace a guest, or seccomp EPERM");
  expect_each(found, {"shmget", "semget", "msgget"}, namespaces() && cgroup() ? "ENOENT" : "EPERM");
}

// The program's own directory: what is planted there, the next import would run.
TEST_P(Attack, HoleProgramDirectoryIsReadOnly) {
  const auto result = attack("h12_write_program.py", "mount EROFS; landlock EACCES");
  expect_each(result, {"create", "change"}, namespaces() ? "EROFS" : "EACCES");
}

}  // namespace
}  // namespace cove::attack
