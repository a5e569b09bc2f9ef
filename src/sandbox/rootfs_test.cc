#include "sandbox/rootfs.h"

#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

namespace fs = std::filesystem;

class Rootfs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "cove-rootfs-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    host_ = name;
    fs::create_directory(host_ + "/tree");
    std::ofstream(host_ + "/file") << "text";
    fs::create_symlink("tree", host_ + "/link");
  }
  void TearDown() override { fs::remove_all(host_); }

  SetupPlan root() {
    SetupPlan plan;
    const auto placements = place_mounts(spec_);
    add_open_trees(plan, placements);
    add_root(plan, spec_, placements);
    add_covered_mounts(plan, placements);
    return plan;
  }
  void show(const std::string& source, const std::string& target, bool writable = false) {
    spec_.mounts.push_back({source, target, writable, false});
  }
  static const SetupStep* find(const SetupPlan& plan, StepKind kind, std::string_view text) {
    for (const auto& step : plan.steps()) {
      const std::string& where =
          kind == StepKind::Symlink || kind == StepKind::Bind ? step.text2 : step.text;
      if (step.kind == kind && where == text) return &step;
    }
    return nullptr;
  }

  SandboxSpec spec_;
  std::string host_;
};

TEST_F(Rootfs, AHostDirectoryIsAttachedReadOnly) {
  show(host_ + "/tree", "/opt/tree");
  const SetupPlan plan = root();
  EXPECT_NE(find(plan, StepKind::OpenTree, host_ + "/tree"), nullptr);
  EXPECT_NE(find(plan, StepKind::Mkdir, "opt"), nullptr);
  EXPECT_NE(find(plan, StepKind::Mkdir, "opt/tree"), nullptr);
  const SetupStep* attach = find(plan, StepKind::AttachTree, "opt/tree");
  ASSERT_NE(attach, nullptr);
  EXPECT_EQ(attach->b, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

TEST_F(Rootfs, AWritableOneStillHasNoDevicesAndNoSetuid) {
  show(host_ + "/tree", "/data", true);
  const SetupPlan plan = root();
  const SetupStep* attach = find(plan, StepKind::AttachTree, "data");
  ASSERT_NE(attach, nullptr);
  EXPECT_EQ(attach->b, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

TEST_F(Rootfs, AFileGetsAFileToBeMountedOn) {
  show(host_ + "/file", "/opt/file");
  const SetupPlan plan = root();
  EXPECT_NE(find(plan, StepKind::Touch, "opt/file"), nullptr);
  EXPECT_EQ(find(plan, StepKind::Mkdir, "opt/file"), nullptr);
}

TEST_F(Rootfs, ALinkIsMadeAnewAndNotFollowed) {
  show(host_ + "/link", host_ + "/link");
  const SetupPlan plan = root();
  const SetupStep* link = find(plan, StepKind::Symlink, host_.substr(1) + "/link");
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->text, "tree");
  EXPECT_EQ(find(plan, StepKind::OpenTree, host_ + "/link"), nullptr);
}

TEST_F(Rootfs, ALinkShownElsewhereIsWhatItPointsTo) {
  show(host_ + "/link", "/opt/tree");
  const SetupPlan plan = root();
  EXPECT_NE(find(plan, StepKind::AttachTree, "opt/tree"), nullptr);
}

TEST_F(Rootfs, WhatIsOptionalAndAbsentIsLeftOut) {
  spec_.mounts.push_back({host_ + "/absent", "/opt/absent", false, true});
  EXPECT_TRUE(place_mounts(spec_).empty());
  const SetupPlan plan = root();
  EXPECT_EQ(find(plan, StepKind::AttachTree, "opt/absent"), nullptr);
  EXPECT_EQ(find(plan, StepKind::Mkdir, "opt"), nullptr);
}

TEST_F(Rootfs, WhatIsRequiredAndAbsentFailsAtItsOwnStep) {
  show(host_ + "/absent", "/opt/absent");
  const SetupPlan plan = root();
  const SetupStep* open = find(plan, StepKind::OpenTree, host_ + "/absent");
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->flags & kOptional, 0U);
}

TEST_F(Rootfs, EachOpenedTreeIsAttachedOnceInItsOwnPlace) {
  show(host_ + "/tree", "/a");
  show(host_ + "/link", host_ + "/link");
  show(host_ + "/file", "/b");
  const SetupPlan plan = root();
  std::set<std::uint64_t> opened;
  std::set<std::uint64_t> attached;
  for (const auto& step : plan.steps()) {
    if (step.kind == StepKind::OpenTree) {
      EXPECT_TRUE(opened.insert(step.a).second);
    } else if (step.kind == StepKind::AttachTree) {
      EXPECT_TRUE(attached.insert(step.a).second);
    }
  }
  EXPECT_EQ(opened, attached);
  const auto slot_of = [&](StepKind kind, const std::string& text) {
    const SetupStep* step = find(plan, kind, text);
    return step == nullptr ? ~0ULL : step->a;
  };
  EXPECT_EQ(slot_of(StepKind::OpenTree, host_ + "/file"), slot_of(StepKind::AttachTree, "b"));
  EXPECT_EQ(slot_of(StepKind::OpenTree, "/dev/null"), slot_of(StepKind::AttachTree, "dev/null"));
}

TEST_F(Rootfs, NothingButHarmlessDevicesIsThere) {
  const SetupPlan plan = root();
  std::set<std::string> devices;
  for (const auto& step : plan.steps()) {
    if (step.kind == StepKind::AttachTree) devices.insert(step.text);
  }
  EXPECT_EQ(devices, (std::set<std::string>{"dev/null", "dev/zero", "dev/full", "dev/random",
                                            "dev/urandom"}));
}

TEST_F(Rootfs, DirectoriesAreMadeOnceAndAfterTheirParents) {
  show(host_ + "/tree", "/opt/a/b");
  show(host_ + "/tree", "/opt/a/c");
  std::set<std::string> made;
  const SetupPlan plan = root();
  for (const auto& step : plan.steps()) {
    if (step.kind != StepKind::Mkdir) continue;
    const auto slash = step.text.rfind('/');
    const bool below = slash != std::string::npos;
    EXPECT_TRUE(!below || made.contains(step.text.substr(0, slash))) << step.text;
    EXPECT_TRUE(made.insert(step.text).second) << step.text;
  }
}

TEST_F(Rootfs, OwnFilesAreReadOnly) {
  spec_.own_files = {{"/run/cove/native/module.so", "bytes"}};
  const SetupPlan plan = root();
  const SetupStep* file = find(plan, StepKind::WriteFile, "run/cove/native/module.so");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->blob, "bytes");
  EXPECT_EQ(file->c, 0555U);
}

TEST_F(Rootfs, OneBudgetHoldsEverythingThatCanBeWritten) {
  spec_.disk_bytes = 12345;
  spec_.inodes = 99;
  SetupPlan plan;
  add_scratch(plan, spec_, "", {});
  const SetupStep* tmpfs = find(plan, StepKind::MountTmpfs, kScratchPath);
  ASSERT_NE(tmpfs, nullptr);
  EXPECT_EQ(tmpfs->text2, "size=12345,nr_inodes=99,mode=755");
  for (const char* place : {"workspace", "tmp", "dev/shm"}) {
    const SetupStep* bind = find(plan, StepKind::Bind, place);
    ASSERT_NE(bind, nullptr) << place;
    EXPECT_EQ(bind->b & MOUNT_ATTR_RDONLY, 0U) << place;
  }
  const SetupStep* code = find(plan, StepKind::Bind, "code");
  ASSERT_NE(code, nullptr);
  EXPECT_NE(code->b & MOUNT_ATTR_RDONLY, 0U) << "a program cannot change itself";
}

TEST_F(Rootfs, AHostDirectoryAsWorkspaceTakesThePlaceOfThePrivateOne) {
  for (const bool writable : {false, true}) {
    spec_.workspace = HostMount{host_ + "/tree", "/workspace", writable, false};
    const SetupPlan plan = root();
    const SetupStep* attach = find(plan, StepKind::AttachTree, "workspace");
    ASSERT_NE(attach, nullptr);
    EXPECT_EQ((attach->b & MOUNT_ATTR_RDONLY) == 0, writable);
    SetupPlan scratch;
    add_scratch(scratch, spec_, "", {});
    EXPECT_EQ(find(scratch, StepKind::Bind, "workspace"), nullptr);
    EXPECT_NE(find(scratch, StepKind::Bind, "tmp"), nullptr);
  }
}

TEST_F(Rootfs, AWorkingDirectoryBelowTheWorkspaceIsMade) {
  spec_.working_directory = "/workspace/src/app";
  SetupPlan plan;
  add_scratch(plan, spec_, "/", {});
  EXPECT_NE(find(plan, StepKind::Mkdir, "/workspace/src"), nullptr);
  EXPECT_NE(find(plan, StepKind::Mkdir, "/workspace/src/app"), nullptr);
  EXPECT_EQ(find(plan, StepKind::Mkdir, "/workspace"), nullptr);
}

TEST_F(Rootfs, AZygotesGuestOwnsItsFiles) {
  SetupPlan plan;
  add_scratch(plan, spec_, "/", {.told_by_zygote = true, .change = true});
  const SetupStep* chown =
      find(plan, StepKind::Chown, std::string("/") + kScratchPath + "/workspace");
  ASSERT_NE(chown, nullptr);
  EXPECT_EQ(chown->flags, kGuestId);
}

TEST_F(Rootfs, WhatSaysTooMuchOfTheHostIsMasked) {
  SetupPlan plan;
  add_proc_masks(plan);
  ASSERT_FALSE(plan.steps().empty());
  const auto masked = [&](const char* name) {
    return find(plan, StepKind::Mask, std::string("/proc/") + name) != nullptr;
  };
  for (const char* name : {"kcore", "kallsyms", "keys", "cmdline"}) {
    EXPECT_EQ(masked(name), fs::exists(std::string("/proc/") + name)) << name;
  }
  EXPECT_FALSE(masked("self"));
}

TEST_F(Rootfs, LinksOfAnImageAreMadeLastAndItsEtcIsItsOwn) {
  show(host_ + "/tree", "/etc");
  spec_.own_etc = false;
  spec_.own_directories = {"/srv"};
  spec_.own_links = {{"/bin", "usr/bin"}, {"/evil", "/etc"}};
  const SetupPlan plan = root();
  EXPECT_EQ(find(plan, StepKind::WriteFile, "etc/passwd"), nullptr);
  EXPECT_NE(find(plan, StepKind::AttachTree, "etc"), nullptr);
  EXPECT_NE(find(plan, StepKind::Mkdir, "srv"), nullptr);
  const auto& steps = plan.steps();
  ASSERT_GE(steps.size(), 2U);
  // No step after them can walk through one on the host.
  EXPECT_EQ(steps[steps.size() - 2].text2, "bin");
  EXPECT_EQ(steps.back().kind, StepKind::Symlink);
  EXPECT_EQ(steps.back().text2, "evil");
}

}  // namespace
}  // namespace cove::sandbox
