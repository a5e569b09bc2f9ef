#include "sandbox/cgroup_files.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

constexpr const char* kV2Mount =
    "30 24 0:27 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(OwnGroups, AUnifiedHostHasOne) {
  const auto groups = parse_groups(kV2Mount, "0::/user.slice/session-1.scope\n");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_TRUE(groups[0].v2);
  EXPECT_TRUE(groups[0].controllers.empty());
  EXPECT_EQ(groups[0].path, "/sys/fs/cgroup/user.slice/session-1.scope");
}

TEST(OwnGroups, TheRootGroupIsTheMountItself) {
  const auto groups = parse_groups(kV2Mount, "0::/\n");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].path, "/sys/fs/cgroup");
}

TEST(OwnGroups, ALegacyHostHasOneForEachHierarchy) {
  const auto groups = parse_groups(
      "31 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "32 24 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "33 24 0:30 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n",
      "4:memory:/jobs/a\n3:cpu,cpuacct:/jobs\n2:freezer:/\n1:name=systemd:/init.scope\n");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_FALSE(groups[0].v2);
  EXPECT_EQ(groups[0].controllers, std::vector<std::string>{"memory"});
  EXPECT_EQ(groups[0].path, "/sys/fs/cgroup/memory/jobs/a");
  EXPECT_EQ(groups[1].controllers, (std::vector<std::string>{"cpu", "cpuacct"}));
  EXPECT_EQ(groups[1].path, "/sys/fs/cgroup/cpu,cpuacct/jobs");
  EXPECT_EQ(groups[2].path, "/sys/fs/cgroup/systemd/init.scope");
}

TEST(OwnGroups, AHybridHostHasBoth) {
  const auto groups = parse_groups(
      "31 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "30 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
      "4:memory:/m\n0::/u\n");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].path, "/sys/fs/cgroup/memory/m");
  EXPECT_EQ(groups[1].path, "/sys/fs/cgroup/unified/u");
  EXPECT_TRUE(groups[1].v2);
}

TEST(OwnGroups, AContainerMayShowOnlyAPartOfTheHierarchy) {
  const std::string mount =
      "31 24 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
  EXPECT_EQ(parse_groups(mount, "4:memory:/docker/abc\n").at(0).path, "/sys/fs/cgroup/memory");
  EXPECT_EQ(parse_groups(mount, "4:memory:/docker/abc/x\n").at(0).path, "/sys/fs/cgroup/memory/x");
  EXPECT_EQ(parse_groups(mount, "4:memory:/\n").at(0).path, "/sys/fs/cgroup/memory");
  // A neighbour whose name begins alike is not below the mount.
  EXPECT_EQ(parse_groups(mount, "4:memory:/docker/abcd\n").at(0).path,
            "/sys/fs/cgroup/memory/docker/abcd");
}

TEST(OwnGroups, APathMayHoldColons) {
  EXPECT_EQ(parse_groups(kV2Mount, "0::/a:b/c:d\n").at(0).path, "/sys/fs/cgroup/a:b/c:d");
}

TEST(OwnGroups, OddLinesAreLeftOut) {
  const std::string mountinfo = std::string(
                                    "\n"
                                    "nonsense\n"
                                    "1 2 3 - cgroup2\n"
                                    " - cgroup2 a b\n"
                                    "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n") +
                                kV2Mount + "21 1 0:5 / /proc rw - proc";
  EXPECT_EQ(parse_groups(mountinfo, "\n:\n0:\nnonsense\n0::/ok").size(), 1U);
  EXPECT_TRUE(parse_groups("", "").empty());
  EXPECT_TRUE(parse_groups(mountinfo, "").empty());
  EXPECT_TRUE(parse_groups("", "0::/x\n").empty());
}

TEST(OwnGroups, EveryGroupOfThisProcessIsADirectory) {
  for (const auto& group : own_groups()) {
    EXPECT_TRUE(std::filesystem::is_directory(group.path)) << group.path;
  }
}

TEST(GroupValues, ANumberIsFoundByItsWholeKey) {
  const std::string events = "low 0\nhigh 1\nmax 2\noom 3\noom_kill 44\noom_group_kill 5\n";
  EXPECT_EQ(keyed_number(events, "oom"), 3U);
  EXPECT_EQ(keyed_number(events, "oom_kill"), 44U);
  EXPECT_EQ(keyed_number(events, "low"), 0U);
  EXPECT_EQ(keyed_number(events, "oo"), std::nullopt);
  EXPECT_EQ(keyed_number(events, ""), std::nullopt);
  EXPECT_EQ(keyed_number("", "oom"), std::nullopt);
  EXPECT_EQ(keyed_number("oom", "oom"), std::nullopt);
  EXPECT_EQ(keyed_number("oom max\n", "oom"), std::nullopt);
}

TEST(GroupValues, WithoutALimitThereIsNoNumber) {
  EXPECT_EQ(first_number("4096\n"), 4096U);
  EXPECT_EQ(first_number("max\n"), std::nullopt);
  EXPECT_EQ(first_number(""), std::nullopt);
  EXPECT_EQ(first_number("99999999999999999999999"), std::nullopt);
}

TEST(GroupValues, FilesAreReadAndWritten) {
  std::string path = (std::filesystem::temp_directory_path() / "cove-value-XXXXXX").string();
  const UniqueFd made(::mkstemp(path.data()));
  ASSERT_TRUE(made);
  const OpenValue open(path);
  ASSERT_TRUE(write_value(path, "usage_usec 12\nnr 7\n"));
  EXPECT_EQ(read_keyed(path, "nr"), 7U);
  EXPECT_EQ(keyed_number(open.text(), "usage_usec"), 12U);
  ASSERT_TRUE(write_value(path, "8"));
  EXPECT_EQ(open.text().front(), '8') << "an open value is read anew";
  std::filesystem::remove(path);
  EXPECT_EQ(read_number(path), std::nullopt);
  EXPECT_FALSE(write_value(path, "1")) << "a file of a group is never made";
  EXPECT_EQ(OpenValue(path).text(), "");
}

TEST(Leftovers, OnlyNamesOfDeadOwnersAreLeftovers) {
  EXPECT_FALSE(is_leftover(owner_prefix() + "-1"));
  // No process has an id above 2^22.
  EXPECT_TRUE(is_leftover("cove-4194999-123-1"));
  // The id was given to a later process.
  EXPECT_TRUE(is_leftover(fmt::format("cove-{}-1-1", ::getpid())));
  for (const char* foreign : {"", "cove", "cove-", "cove-1", "cove-x-1", "cove-1-x", "user.slice",
                              "other-4194999-123-1", "xcove-4194999-123-1"}) {
    EXPECT_FALSE(is_leftover(foreign)) << foreign;
  }
}

TEST(Leftovers, SweepingRemovesTheirEmptyDirectoriesAndNothingElse) {
  std::string root = (std::filesystem::temp_directory_path() / "cove-sweep-XXXXXX").string();
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  const std::string live = root + "/" + owner_prefix() + "-1";
  for (const auto& name : {root + "/cove-4194999-123-1", live, root + "/mine"}) {
    std::filesystem::create_directory(name);
  }
  sweep_leftovers(root);
  EXPECT_FALSE(std::filesystem::exists(root + "/cove-4194999-123-1"));
  EXPECT_TRUE(std::filesystem::exists(live));
  EXPECT_TRUE(std::filesystem::exists(root + "/mine"));
  std::filesystem::remove_all(root);
  sweep_leftovers(root);  // a directory that is not there is no failure
}

}  // namespace
}  // namespace cove::sandbox
