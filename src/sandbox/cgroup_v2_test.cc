// Two halves: what the kernel does with a group, on the real unified hierarchy (which may have no
// controllers: that takes none), and which values are written to the controllers' files, on plain
// files in their place.
#include "sandbox/cgroup_v2.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/pipe.h"

namespace cove::sandbox {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (fs::temp_directory_path() / "cove-cgroup-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class UnifiedHierarchy : public ::testing::Test {
 protected:
  // In a mount namespace of this process: a crashed test leaves no mount behind.
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "no right to mount: "
                   << std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
    }
    mounted_ = ::mount("cgroup2", place_.path().c_str(), "cgroup2", 0, nullptr) == 0;
    if (!mounted_) {
      GTEST_SKIP() << "cgroup2: " << std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
    }
    if (::access(place_.path().c_str(), W_OK) != 0) GTEST_SKIP() << "its root is not ours";
  }
  void TearDown() override {
    if (mounted_) ::umount2(place_.path().c_str(), MNT_DETACH);
  }

  std::string name(const std::string& what) const {
    return (place_.path() / (owner_prefix() + "-" + what)).string();
  }
  // A child that joins as guests do, tells so, computes for a while if asked, and stays.
  static pid_t start_member(const Cgroup& group, std::chrono::milliseconds busy = 0ms) {
    auto ready = make_pipe();
    EXPECT_TRUE(ready);
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (const int fd : group.join_fds()) {
        if (::write(fd, "0", 1) != 1) ::_exit(1);
      }
      const auto end = std::chrono::steady_clock::now() + busy;
      while (std::chrono::steady_clock::now() < end) {
      }
      static_cast<void>(::write(ready->write.get(), "x", 1) == 1);
      for (;;) ::pause();
    }
    ready->write.reset();
    char byte = 0;
    EXPECT_EQ(::read(ready->read.get(), &byte, 1), 1) << "it could not join";
    return pid;
  }
  static void end(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  ScratchDirectory place_;

 private:
  bool mounted_ = false;
};

TEST_F(UnifiedHierarchy, AMemberIsCountedUntilItIsGone) {
  const auto group = make_group_v2(name("members"));
  ASSERT_TRUE(group) << group.error().message();
  EXPECT_TRUE((*group)->is_empty());
  const pid_t member = start_member(**group);
  EXPECT_FALSE((*group)->is_empty());
  std::ifstream procs(name("members") + "/cgroup.procs");
  pid_t listed = 0;
  procs >> listed;
  EXPECT_EQ(listed, member);
  end(member);
  EXPECT_TRUE((*group)->is_empty());
}

TEST_F(UnifiedHierarchy, WhatAMemberStartsIsAMember) {
  const auto group = make_group_v2(name("children"));
  ASSERT_TRUE(group) << group.error().message();
  const pid_t member = ::fork();
  if (member == 0) {
    for (const int fd : (*group)->join_fds()) {
      if (::write(fd, "0", 1) != 1) ::_exit(1);
    }
    if (::fork() == 0) {
      for (;;) ::pause();
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(member, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE((*group)->is_empty()) << "the orphan is in it";
  ASSERT_TRUE(write_value(name("children") + "/cgroup.kill", "1"));
  for (int i = 0; i < 200 && !(*group)->is_empty(); ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE((*group)->is_empty());
}

TEST_F(UnifiedHierarchy, ProcessorTimeIsCountedFromTheLastReset) {
  const auto group = make_group_v2(name("time"));
  ASSERT_TRUE(group) << group.error().message();
  EXPECT_EQ((*group)->usage().cpu, 0us);
  const pid_t member = start_member(**group, 30ms);
  end(member);
  EXPECT_GT((*group)->usage().cpu, 1ms);
  (*group)->reset();
  EXPECT_LT((*group)->usage().cpu, 1ms);
}

TEST_F(UnifiedHierarchy, AGroupIsRemovedWithItsOwner) {
  {
    const auto group = make_group_v2(name("removed"));
    ASSERT_TRUE(group) << group.error().message();
    EXPECT_TRUE(fs::is_directory(name("removed")));
  }
  EXPECT_FALSE(fs::exists(name("removed")));
}

TEST_F(UnifiedHierarchy, GroupsOfADeadOwnerAreSweptWithTheirMembers) {
  const std::string left = place_.path() / "cove-4194305-1-0";  // beyond every process id
  const std::string mine = name("kept");
  const auto kept = make_group_v2(mine);
  ASSERT_TRUE(kept) << kept.error().message();
  auto group = make_group_v2(left);
  ASSERT_TRUE(group) << group.error().message();
  const pid_t member = start_member(**group);
  std::thread reaper([member] { ::waitpid(member, nullptr, 0); });
  sweep_leftovers(place_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(mine));
  ::kill(member, SIGKILL);
  reaper.join();
}

TEST_F(UnifiedHierarchy, WithoutItsControllersItIsNotUsed) {
  std::ifstream file(place_.path() / "cgroup.controllers");
  std::stringstream names;
  names << file.rdbuf();
  if (names.str().find("memory") != std::string::npos) GTEST_SKIP() << "this host has them";
  const auto probe = probe_cgroup_v2({{true, {}, place_.path().string()}});
  EXPECT_EQ(probe.host, nullptr);
  EXPECT_NE(probe.reason.find("no memory, pids and cpu controllers"), std::string::npos)
      << probe.reason;
}

class ControllerFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = "") const {
    std::ofstream(place_.path() / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(place_.path() / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::unique_ptr<Cgroup> group() const {
    for (const char* name :
         {"cgroup.procs", "memory.max", "memory.oom.group", "pids.max", "cpu.max", "memory.events",
          "pids.events", "cpu.stat", "memory.peak"}) {
      write(name);
    }
    auto made = make_group_v2(place_.path());
    EXPECT_TRUE(made) << made.error().message();
    return std::move(*made);
  }
  ScratchDirectory place_;
};

TEST_F(ControllerFiles, LimitsAreWrittenAsTheKernelReadsThem) {
  const auto made = group();
  write("memory.swap.max");
  ASSERT_TRUE(made->set_limits({.memory_bytes = 256U << 20U, .processes = 32, .cpus = 0.5}));
  EXPECT_EQ(read("memory.max"), "268435456");
  EXPECT_EQ(read("memory.swap.max"), "0");
  EXPECT_EQ(read("memory.oom.group"), "1");
  EXPECT_EQ(read("pids.max"), "33") << "the init is one more";
  EXPECT_EQ(read("cpu.max"), "50000 100000");
}

TEST_F(ControllerFiles, SwapMayBeAbsentAndAShareHasAFloor) {
  const auto made = group();
  ASSERT_TRUE(made->set_limits({.memory_bytes = 4096, .processes = 1, .cpus = 0.0001}));
  EXPECT_FALSE(fs::exists(place_.path() / "memory.swap.max"));
  EXPECT_EQ(read("cpu.max"), "1000 100000");
}

TEST_F(ControllerFiles, ALimitThatCannotBeWrittenIsAnError) {
  const auto made = group();
  fs::remove(place_.path() / "pids.max");
  const auto set = made->set_limits({.memory_bytes = 4096, .processes = 1, .cpus = 1});
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message().find("pids.max"), std::string::npos) << set.error().message();
}

TEST_F(ControllerFiles, EventsCountFromTheLastReset) {
  const auto made = group();
  write("memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\noom_group_kill 1\n");
  write("pids.events", "max 5\n");
  write("cpu.stat", "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n");
  write("memory.peak", "4096\n");
  EXPECT_EQ(made->usage().oom_kills, 2U);
  EXPECT_EQ(made->usage().refused_forks, 5U);
  EXPECT_EQ(made->usage().cpu, 1500us);
  EXPECT_EQ(made->usage().peak_bytes, 4096U);
  made->reset();
  write("memory.events", "oom 4\noom_kill 3\n");
  EXPECT_EQ(made->usage().oom_kills, 1U);
  EXPECT_EQ(made->usage().refused_forks, 0U);
  EXPECT_EQ(made->usage().cpu, 0us);
}

TEST_F(ControllerFiles, ControllersAreHandedDownOnce) {
  write("cgroup.controllers", "cpuset cpu io memory hugetlb pids\n");
  write("cgroup.subtree_control");
  const auto probe = probe_cgroup_v2({{true, {}, place_.path().string()}});
  ASSERT_NE(probe.host, nullptr) << probe.reason;
  EXPECT_EQ(probe.host->version(), "v2");
  EXPECT_EQ(read("cgroup.subtree_control"), "+memory +pids +cpu");
  write("cgroup.subtree_control", "cpu memory pids\n");
  ASSERT_NE(probe_cgroup_v2({{true, {}, place_.path().string()}}).host, nullptr);
  EXPECT_EQ(read("cgroup.subtree_control"), "cpu memory pids\n");
}

}  // namespace
}  // namespace cove::sandbox
