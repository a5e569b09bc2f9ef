// Cases 53–62: the kernel's surface. (63, terminals, is not part of this.)
#include <thread>

#include <fmt/format.h>

#include "attack_fixture.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

TEST_P(Attack, Case53Namespaces) {
  const auto result = attack("53_namespaces.py", "seccomp EPERM");
  EXPECT_TRUE(result.is_success()) << describe(result);
  for (const char* kind : {"user", "mount", "pid", "net", "ipc", "uts", "cgroup"}) {
    expect_facts(result, {{fmt::format("unshare_{}", kind), "EPERM"},
                          {fmt::format("clone_{}", kind), "EPERM"}});
  }
  const auto facts = seen(result);
  for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
    EXPECT_EQ(fact(facts, fmt::format("setns_1_{}", kind)), "cannot open");
    EXPECT_NE(fact(facts, fmt::format("setns_self_{}", kind)), "OK");
  }
  expect_facts(result, {{"unshare_time", "EPERM"}, {"setns_pidfd", "EPERM"}});
}

TEST_P(Attack, Case54Mounts) {
  const auto result = attack("54_mounts.py", "seccomp EPERM; unknown calls ENOSYS");
  expect_each(result,
              {"mount_tmpfs", "remount", "bind", "umount", "fsopen", "fsconfig", "fsmount",
               "fspick", "move_mount", "open_tree", "mount_setattr", "pivot_root", "chroot"},
              "EPERM");
  expect_each(result, {"listmount", "statmount", "open_tree_attr"}, "ENOSYS");
}

TEST_P(Attack, Case55To57KernelSurface) {
  const auto result = attack("55_kernel_surface.py", "seccomp EPERM; unknown calls ENOSYS");
  expect_each(result,
              {"bpf",
               "perf_event_open",
               "kexec_load",
               "kexec_file_load",
               "init_module",
               "finit_module",
               "delete_module",
               "iopl",
               "ioperm",
               "acct",
               "swapon",
               "reboot",
               "quotactl",
               "syslog",
               "sethostname",
               "personality",
               "kcmp",
               "fanotify_init",
               "lookup_dcookie",
               "move_pages",
               "migrate_pages",
               "vhangup",
               "process_madvise",
               "nfsservctl"},
              "EPERM");
  expect_each(result,
              {"io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key",
               "request_key", "memfd_secret", "modify_ldt", "cachestat", "lsm_list_modules",
               "setxattrat", "file_setattr", "clone3", "beyond"},
              "ENOSYS");
}

TEST_P(Attack, Case58SocketFamilies) {
  const auto result = attack("58_socket_families.py", "seccomp EAFNOSUPPORT");
  expect_each(
      result,
      {"inet", "inet6", "netlink", "packet", "key", "rds", "can", "tipc", "bluetooth", "alg", "nfc",
       "vsock", "kcm", "qipcrtr", "smc", "xdp", "mctp", "hidden_inet", "hidden_unix"},
      kNoSuchSocket);
}

TEST_P(Attack, Case59ForeignCalls) {
  for (const char* kind : {"int80", "x32", "x32_ioctl"}) {
    ExecutionRequest request = program("59_foreign_calls.py");
    request.args = {kind};
    const auto result = attack(request, "seccomp kills");
    EXPECT_EQ(result.status, ExecutionStatus::Failed) << kind << describe(result);
    EXPECT_EQ(result.signal.value_or(""), "SIGSYS") << kind << describe(result);
    EXPECT_EQ(result.stdout_data, "calling\n") << kind;
  }
}

// A lock on a file that two guests can read tells one bit across. Not blocked: documented.
TEST_P(Attack, Case60LockAsChannel) {
  std::thread other([this] {
    ExecutionRequest holder = program("60_flock_channel.py");
    holder.args = {"hold"};
    const auto held = execute(holder);
    EXPECT_TRUE(held && held->is_success());
  });
  std::this_thread::sleep_for(400ms);
  ExecutionRequest request = program("60_flock_channel.py");
  request.args = {"try"};
  const auto result = execute(request);
  other.join();
  ASSERT_TRUE(result);
  if (fact(seen(*result), "tried") == "EAGAIN") {
    const std::string documented = read_text(COVE_SUITE_DIR "/README.md");
    EXPECT_NE(documented.find("flock"), std::string::npos) << "neither blocked nor documented";
  }
}

TEST_P(Attack, Case61Clone3) {
  const auto result = attack("61_ordinary_start.py", "seccomp ENOSYS");
  expect_facts(result, {{"clone3", "ENOSYS"}, {"thread", "thread"}, {"child", "child"}});
}

TEST_P(Attack, Case62Relaxes) {
  const auto result = attack("62_relaxes.py", "no_new_privs; seccomp filters only add up");
  EXPECT_TRUE(result.is_success()) << describe(result);
  expect_facts(result, {{"new_privs", "EINVAL"},
                        {"strict_off", "EINVAL"},
                        {"securebits", "EPERM"},
                        {"ambient", "EPERM"},
                        {"set_mm", "EPERM"},
                        {"capset", "EPERM"},
                        {"stacked", "OK"},
                        {"after_unshare", "EPERM"},
                        {"after_mount", "EPERM"},
                        {"after_ptrace", "EPERM"}});
}

}  // namespace
}  // namespace cove::attack
