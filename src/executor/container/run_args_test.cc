#include "executor/container/run_args.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cove {
namespace {

using Words = std::vector<std::string>;

ContainerRun some_run() {
  ContainerRun run;
  run.name = "cove-x";
  run.image = "python:3.12-slim";
  run.argv = {"python3", "-"};
  return run;
}

bool has(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

TEST(RunArgs, ThePromisedFlagsComeFirstAndInThisOrder) {
  const Words words = build_run_args({}, EngineKind::Docker, some_run());
  const Words promised{"run",
                       "--rm",
                       "-i",
                       "--network=none",
                       "--read-only",
                       "--tmpfs=/tmp:rw,exec,size=64m",
                       "--memory",
                       "512m",
                       "--memory-swap",
                       "512m",
                       "--cpus",
                       "1",
                       "--pids-limit",
                       "64",
                       "--user",
                       "65534:65534",
                       "--cap-drop=ALL",
                       "--security-opt=no-new-privileges",
                       "--name",
                       "cove-x"};
  ASSERT_GE(words.size(), promised.size());
  EXPECT_EQ(Words(words.begin(), words.begin() + static_cast<long>(promised.size())), promised);
  EXPECT_EQ(Words(words.end() - 3, words.end()), (Words{"python:3.12-slim", "python3", "-"}));
}

TEST(RunArgs, NothingElseIsThereByDefault) {
  const Words words = build_run_args({}, EngineKind::Docker, some_run());
  EXPECT_EQ(
      Words(words.begin() + 20, words.end() - 3),
      (Words{"--pull=never", "--init", "--ulimit", "nofile=256:256", "--ulimit", "core=0:0"}));
}

TEST(RunArgs, EachLimitIsTheRequests) {
  ContainerRun run = some_run();
  run.limits.memory = Bytes{100'000'001};
  run.limits.cpus = 0.5;
  run.limits.processes = 7;
  run.limits.descriptors = 99;
  const Words words = build_run_args({}, EngineKind::Docker, run);
  EXPECT_EQ(std::ranges::count(words, "100000001b"), 2);  // memory and swap
  EXPECT_TRUE(has(words, "0.5"));
  EXPECT_TRUE(has(words, "7"));
  EXPECT_TRUE(has(words, "nofile=99:99"));
}

TEST(RunArgs, LooseningChangesOneFlagEach) {
  ContainerOptions options;
  options.read_only_root = false;
  options.drop_capabilities = false;
  options.no_new_privileges = false;
  options.init = false;
  options.user = "1000:1000";
  options.tmp_size = Bytes::mib(8);
  options.runtime = "runsc";
  const Words words = build_run_args(options, EngineKind::Docker, some_run());
  for (const char* gone :
       {"--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--init"}) {
    EXPECT_FALSE(has(words, gone)) << gone;
  }
  for (const char* there :
       {"--network=none", "1000:1000", "--tmpfs=/tmp:rw,exec,size=8m", "--runtime", "runsc"}) {
    EXPECT_TRUE(has(words, there)) << there;
  }
}

TEST(RunArgs, ANetworkOnlyWhereThePolicyOrTheOptionsSaySo) {
  ContainerRun run = some_run();
  ContainerOptions options;
  options.network = "private";
  EXPECT_TRUE(has(build_run_args(options, EngineKind::Docker, run), "--network=none"));
  run.network = true;
  EXPECT_TRUE(has(build_run_args(options, EngineKind::Docker, run), "--network=private"));
  options.network.clear();
  for (const std::string& word : build_run_args(options, EngineKind::Docker, run)) {
    EXPECT_FALSE(word.starts_with("--network")) << word;
  }
  run.network = false;
  options.offline = false;
  EXPECT_FALSE(has(build_run_args(options, EngineKind::Docker, run), "--network=none"));
}

TEST(RunArgs, ExtraWordsStandBeforeTheImage) {
  ContainerRun run = some_run();
  run.owner = "me";
  run.mounts = {{"/a", "/workspace", true}, {"/b", "/code", false}};
  run.env = {"A", "PATH=/bin"};
  run.working_directory = "/workspace";
  ContainerOptions options;
  options.extra_args = {"--shm-size=1m"};
  const Words words = build_run_args(options, EngineKind::Docker, run);
  const auto image = std::ranges::find(words, run.image);
  for (const char* word : {"cove.owner=me", "type=bind,source=/a,target=/workspace",
                           "type=bind,source=/b,target=/code,readonly,bind-nonrecursive=true", "A",
                           "PATH=/bin", "--workdir", "--shm-size=1m"}) {
    EXPECT_LT(std::ranges::find(words, word), image) << word;
  }
}

TEST(RunArgs, PodmanHandsOnNoProxyOfTheHost) {
  EXPECT_TRUE(has(build_run_args({}, EngineKind::Podman, some_run()), "--http-proxy=false"));
}

TEST(RunArgs, OnlyKnownExtraWordsAreHarmless) {
  EXPECT_TRUE(is_harmless_extra({}));
  EXPECT_TRUE(is_harmless_extra({"--label=a=b", "--shm-size=1m"}));
  EXPECT_FALSE(is_harmless_extra({"--privileged"}));
  EXPECT_FALSE(is_harmless_extra({"--label=a", "-v", "/:/host"}));
}

}  // namespace
}  // namespace cove
