#include "executor/native/guest_spec.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "base/fill_text.h"

namespace cove {
namespace {

namespace fs = std::filesystem;
using Kind = FilesystemPolicy::Kind;

class GuestSpec : public ::testing::Test {
 protected:
  void SetUp() override {
    host_.ids = sandbox::IdPool::for_this_process();
    host_.landlock_abi = 7;
    host_.data_dir = "/data";
    runtime_.interpreter = "/usr/bin/python3";
    runtime_.mounts = {"/usr", "/lib"};
    auto& profile = runtime_.profile;
    profile.name = "python";
    profile.extension = "py";
    profile.run_args = {"{program}"};
    profile.harness_args = {"{guest}/harness/python.py", "{program}"};
    profile.warm_args = {"-i", "{program}"};
    profile.env = {{"PYTHONPATH", "/workspace"}, {"LANG", "en_GB.UTF-8"}};
    profile.warm_env = {{"PYTHONPATH", "{guest}/python:/workspace"}};
    std::string name = (fs::temp_directory_path() / "cove-spec-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  Result<sandbox::SandboxSpec> make(StartMode mode = StartMode::AwaitJob) {
    const auto paths = GuestPaths::at(host_, directory_, runtime_);
    return make_spec(host_, runtime_, request_, limits_, paths, mode);
  }
  static bool has(const std::vector<std::string>& list, std::string_view value) {
    return std::ranges::find(list, value) != list.end();
  }
  static const sandbox::HostMount* mount_at(const sandbox::SandboxSpec& spec,
                                            std::string_view target) {
    const auto found = std::ranges::find(spec.mounts, target, &sandbox::HostMount::target);
    return found == spec.mounts.end() ? nullptr : &*found;
  }
  void expect_refused(ErrorCode code, const std::string& words) {
    const auto spec = make();
    ASSERT_FALSE(spec.has_value());
    EXPECT_EQ(spec.error().code(), code);
    EXPECT_NE(spec.error().message().find(words), std::string::npos) << spec.error().message();
  }

  NativeHost host_;
  Runtime runtime_;
  ExecutionRequest request_;
  ResolvedLimits limits_;
  std::string directory_;
};

TEST_F(GuestSpec, AProgramStartsWithItsInterpreterInTheWorkspace) {
  const auto spec = make();
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->executable, "/usr/bin/python3");
  EXPECT_EQ(spec->argv, (std::vector<std::string>{"/usr/bin/python3", "/code/main.py"}));
  EXPECT_EQ(spec->working_directory, "/workspace");
  EXPECT_TRUE(spec->await_job);
  EXPECT_FALSE(spec->network);
  EXPECT_EQ(spec->landlock_abi, 7);
}

TEST_F(GuestSpec, InputMeansTheHarness) {
  request_.input = json::value(1);
  EXPECT_EQ(make().value().argv,
            (std::vector<std::string>{"/usr/bin/python3", "/run/cove/guest/harness/python.py",
                                      "/code/main.py"}));
}

TEST_F(GuestSpec, TheEnvironmentIsFreshAndTheProfilesWordWins) {
  ::setenv("COVE_TEST_SECRET", "hidden", 1);
  const auto env = make().value().env;
  EXPECT_TRUE(has(env, "PATH=/usr/local/bin:/usr/bin:/bin"));
  EXPECT_TRUE(has(env, "HOME=/tmp"));
  EXPECT_TRUE(has(env, "LANG=en_GB.UTF-8"));
  EXPECT_FALSE(has(env, "LANG=C.UTF-8"));
  EXPECT_TRUE(has(env, "PYTHONPATH=/workspace"));
  EXPECT_TRUE(std::ranges::none_of(env, [](const auto& v) { return v.starts_with("COVE_TEST"); }));
  ::unsetenv("COVE_TEST_SECRET");
}

TEST_F(GuestSpec, TheRuntimesFilesAreReadOnlyAndMayBeAbsentOurOwnMayNot) {
  const auto spec = make().value();
  const auto* usr = mount_at(spec, "/usr");
  ASSERT_NE(usr, nullptr);
  EXPECT_FALSE(usr->writable);
  EXPECT_TRUE(usr->optional);
  const auto* own = mount_at(spec, "/run/cove/guest");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->source, "/data/guest");
  EXPECT_FALSE(own->optional);
}

TEST_F(GuestSpec, AtTheLandlockLevelPathsAreThoseOfThePrivateDirectory) {
  host_.level = sandbox::Level::Landlock;
  const auto spec = make();
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->argv.back(), directory_ + "/code/main.py");
  EXPECT_EQ(spec->working_directory, directory_ + "/workspace");
  EXPECT_TRUE(has(spec->env, "HOME=" + directory_ + "/tmp"));
  EXPECT_TRUE(has(spec->env, "TMPDIR=" + directory_ + "/tmp"));
  EXPECT_TRUE(has(spec->env, "PYTHONPATH=" + directory_ + "/workspace"));
  EXPECT_NE(mount_at(*spec, "/data/guest"), nullptr);
}

// A file may have any name, and Cove may be installed anywhere.
TEST_F(GuestSpec, OnlyTheProfilesOwnTextIsFilled) {
  host_.level = sandbox::Level::Landlock;
  host_.data_dir = "/workspace/{tmp}";
  auto& profile = runtime_.profile;
  profile.run_args = {"{guest}", "-o" + literal("a/workspace/{guest}.c")};
  profile.env = {{"NAME", literal("{tmp}/workspace")}};
  const auto spec = make().value();
  EXPECT_EQ(spec.argv, (std::vector<std::string>{"/usr/bin/python3", "/workspace/{tmp}/guest",
                                                 "-oa/workspace/{guest}.c"}));
  EXPECT_TRUE(has(spec.env, "NAME={tmp}/workspace"));
}

TEST_F(GuestSpec, AWaitingInterpreterIsStartedInItsOwnWay) {
  const auto spec = make(StartMode::Waiting).value();
  EXPECT_FALSE(spec.await_job);
  EXPECT_EQ(spec.argv, (std::vector<std::string>{"/usr/bin/python3", "-i", "/code/main.py"}));
  EXPECT_TRUE(has(spec.env, "PYTHONPATH=/run/cove/guest/python:/workspace"));
  EXPECT_TRUE(spec.own_files.empty());
}

TEST_F(GuestSpec, AZygoteBringsItsModuleAndWhatToPreload) {
  runtime_.profile.preload = {"json", "numpy"};
  const auto spec = make(StartMode::Zygote).value();
  EXPECT_TRUE(has(spec.env, "COVE_PRELOAD=json,numpy"));
  EXPECT_TRUE(has(spec.env, "COVE_NATIVE=/run/cove/native"));
  const auto module = std::ranges::find(spec.own_files, "/run/cove/native/_cove_guest.abi3.so",
                                        &sandbox::OwnFile::target);
  ASSERT_NE(module, spec.own_files.end());
  EXPECT_EQ(module->bytes.substr(0, 4),
            "\x7f"
            "ELF");
}

TEST_F(GuestSpec, LimitsAreHandedOn) {
  limits_.memory = Bytes::mib(77);
  limits_.processes = 5;
  limits_.disk = Bytes::mib(3);
  limits_.inodes = 44;
  limits_.descriptors = 33;
  limits_.cpu_time = std::chrono::milliseconds(1001);
  const auto spec = make().value();
  EXPECT_EQ(spec.memory_bytes, 77U << 20U);
  EXPECT_EQ(spec.processes, 5U);
  EXPECT_EQ(spec.disk_bytes, 3U << 20U);
  EXPECT_EQ(spec.inodes, 44U);
  EXPECT_EQ(spec.descriptors, 33U);
  EXPECT_EQ(spec.cpu_seconds, 2U) << "whole seconds, never less than asked";
  EXPECT_EQ(spec.memory_control, sandbox::MemoryControl::PerProcess) << "this host has no groups";
  const auto group = group_limits(limits_);
  EXPECT_EQ(group.memory_bytes, 77U << 20U);
  EXPECT_EQ(group.processes, 5U);
}

TEST_F(GuestSpec, OneProcessLeavesTheSetUpItsRoom) {
  limits_.processes = 1;
  EXPECT_EQ(make().value().processes, 1U);
  EXPECT_EQ(group_limits(limits_).processes, 2U);
}

TEST_F(GuestSpec, ARuntimeBelowTheProgramsDirectoryIsRefused) {
  runtime_.mounts = {"/usr", "/code/venv"};
  expect_refused(ErrorCode::UnsupportedLanguage, "/code/venv");
}

TEST_F(GuestSpec, PathsCanBeCheckedByThemselves) {
  FilesystemPolicy policy;
  EXPECT_TRUE(check_filesystem(host_, policy));
  policy.kind = Kind::Paths;
  policy.read_only = {directory_ + "/missing"};
  const auto checked = check_filesystem(host_, policy);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::UnsupportedPolicy);
}

TEST_F(GuestSpec, PathsOfThePolicyAreShownAtTheirPlace) {
  request_.policy.filesystem.kind = Kind::Paths;
  request_.policy.filesystem.read_only = {directory_};
  const auto spec = make();
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  const auto* mount = mount_at(*spec, directory_);
  ASSERT_NE(mount, nullptr);
  EXPECT_EQ(mount->source, directory_);
  EXPECT_FALSE(mount->writable);
  EXPECT_FALSE(mount->optional);
}

TEST_F(GuestSpec, PathsThatCannotBeShownAreRefused) {
  request_.policy.filesystem.kind = Kind::Paths;
  for (const std::string path : {"relative", "/", "/usr/../etc", ""}) {
    request_.policy.filesystem.read_only = {path};
    expect_refused(ErrorCode::InvalidRequest, "absolute and below /");
  }
  request_.policy.filesystem.read_only = {directory_ + "/absent"};
  expect_refused(ErrorCode::UnsupportedPolicy, "does not exist");
}

TEST_F(GuestSpec, AGuestWritesToAHostDirectoryAsItsOwnerButNeverAsRoot) {
  request_.policy.filesystem.kind = Kind::Paths;
  request_.policy.filesystem.read_write = {directory_};
  if (::geteuid() == 0) {
    expect_refused(ErrorCode::UnsupportedPolicy, "belongs to root");
    ASSERT_EQ(::chown(directory_.c_str(), 4321, 4322), 0);
  }
  const auto spec = make();
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_TRUE(mount_at(*spec, directory_)->writable);
  EXPECT_EQ(spec->uid, ::geteuid() == 0 ? 4321U : ::geteuid());
  EXPECT_EQ(spec->gid, ::geteuid() == 0 ? 4322U : ::getegid());
}

TEST_F(GuestSpec, AHostDirectoryCanBeTheWorkspace) {
  request_.policy.filesystem = {
      .kind = Kind::WorkspaceReadOnly, .root = directory_, .read_only = {}, .read_write = {}};
  const auto spec = make();
  ASSERT_TRUE(spec.has_value());
  ASSERT_TRUE(spec->workspace.has_value());
  EXPECT_EQ(spec->workspace->source, directory_);
  EXPECT_EQ(spec->workspace->target, "/workspace");
  EXPECT_FALSE(spec->workspace->writable);
  request_.policy.filesystem.root = directory_ + "/absent";
  expect_refused(ErrorCode::UnsupportedPolicy, "does not exist");
}

TEST_F(GuestSpec, WhoAsksForNothingGetsNoMoreThanThePrivateRoot) {
  const auto before = make().value().mounts.size();
  request_.policy.filesystem.kind = Kind::Unrestricted;
  const auto spec = make();
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->mounts.size(), before);
  EXPECT_FALSE(spec->workspace.has_value());
}

TEST_F(GuestSpec, WhatThisLevelCannotDoIsRefused) {
  host_.level = sandbox::Level::Landlock;
  request_.policy.filesystem.kind = Kind::WorkspaceReadWrite;
  request_.policy.filesystem.root = directory_;
  expect_refused(ErrorCode::UnsupportedPolicy, "needs isolation namespaces");
}

TEST_F(GuestSpec, AWorkingDirectoryOfThePolicyIsBelowTheWorkspace) {
  request_.policy.working_directory = "src";
  EXPECT_EQ(make().value().working_directory, "/workspace/src");
  request_.policy.working_directory = "";
  EXPECT_EQ(make().value().working_directory, "/workspace");
}

TEST_F(GuestSpec, ANetworkComesWithWhatAResolverReads) {
  request_.policy.network = NetworkPolicy::Enabled;
  const auto spec = make().value();
  EXPECT_TRUE(spec.network);
  const auto* resolver = mount_at(spec, "/etc/resolv.conf");
  ASSERT_NE(resolver, nullptr);
  EXPECT_TRUE(resolver->optional);
}

TEST(GuestJob, OnlyVariablesThatThePolicyNamesComeFromTheHost) {
  ::setenv("COVE_TEST_SHOWN", "yes", 1);
  ::setenv("COVE_TEST_HIDDEN", "no", 1);
  ExecutionRequest request;
  request.args = {"--flag"};
  request.env = {{"OWN", "value"}};
  auto job = make_job(request);
  EXPECT_EQ(job.args, std::vector<std::string>{"--flag"});
  EXPECT_EQ(job.env, std::vector<std::string>{"OWN=value"});

  request.policy.environment.kind = EnvironmentPolicy::Kind::AllowList;
  request.policy.environment.names = {"COVE_TEST_SHOWN", "COVE_TEST_ABSENT"};
  EXPECT_EQ(make_job(request).env, (std::vector<std::string>{"COVE_TEST_SHOWN=yes", "OWN=value"}));

  request.policy.environment.kind = EnvironmentPolicy::Kind::Unrestricted;
  job = make_job(request);
  EXPECT_NE(std::ranges::find(job.env, "COVE_TEST_HIDDEN=no"), job.env.end());
  EXPECT_EQ(job.env.back(), "OWN=value") << "the request's own come last and win";
  ::unsetenv("COVE_TEST_SHOWN");
  ::unsetenv("COVE_TEST_HIDDEN");
}

class GuestSpecInImage : public GuestSpec {
 protected:
  void SetUp() override {
    GuestSpec::SetUp();
    runtime_.mounts.clear();
    ImageRoot image;
    image.name = "x:1";
    image.path = directory_;
    image.trees = {"etc", "usr"};
    image.empty = {"srv"};
    image.links = {{"bin", "usr/bin"}};
    image.env = {{"COLOUR", "blue"}, {"LANG", "xx"}};
    image.command_path = {"/opt/bin", "/usr/bin"};
    ASSERT_TRUE(host_.use_image(image));
  }
};

TEST_F(GuestSpecInImage, TheRootIsTheImages) {
  const auto spec = make();
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  const auto* usr = mount_at(*spec, "/usr");
  ASSERT_NE(usr, nullptr);
  EXPECT_EQ(usr->source, directory_ + "/usr");
  EXPECT_FALSE(usr->writable);
  EXPECT_FALSE(spec->own_etc);
  EXPECT_EQ(spec->own_directories, std::vector<std::string>{"/srv"});
  ASSERT_EQ(spec->own_links.size(), 1U);
  EXPECT_EQ(spec->own_links[0].target, "/bin");
  EXPECT_TRUE(has(spec->env, "PATH=/opt/bin:/usr/bin"));
  EXPECT_TRUE(has(spec->env, "COLOUR=blue"));
  EXPECT_TRUE(has(spec->env, "HOME=/tmp"));
  EXPECT_TRUE(has(spec->env, "LANG=en_GB.UTF-8")) << "the profile has the last word";
  EXPECT_EQ(host_.capabilities().backend, "image:x:1");
}

TEST_F(GuestSpecInImage, TheNetworkBringsOnlyTheResolversSettings) {
  request_.policy.network = NetworkPolicy::Enabled;
  const auto spec = make();
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_EQ(mount_at(*spec, "/etc/ssl"), nullptr);
  ASSERT_NE(mount_at(*spec, "/run/cove/resolv.conf"), nullptr);
}

TEST_F(GuestSpecInImage, AHostPathBehindALinkOfTheImageIsRefused) {
  request_.policy.filesystem.kind = Kind::Paths;
  request_.policy.filesystem.read_only = {"/bin/sh"};
  expect_refused(ErrorCode::UnsupportedPolicy, "/bin is a link there");
}

TEST_F(GuestSpecInImage, TheLandlockLevelHasNoRootOfItsOwn) {
  host_.level = sandbox::Level::Landlock;
  EXPECT_EQ(host_.use_image({}).error().code(), ErrorCode::UnsupportedPolicy);
}

}  // namespace
}  // namespace cove
