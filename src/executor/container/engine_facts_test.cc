#include "executor/container/engine_facts.h"

#include <gtest/gtest.h>

#include "executor/container/container_events.h"
#include "executor/container/container_outcome.h"

namespace cove {
namespace {

constexpr const char* kDocker = R"({"ServerVersion":"20.10.24","DefaultRuntime":"runc",
  "Runtimes":{"runc":{"path":"runc"},"runsc":{"path":"runsc"}},"CgroupVersion":"2","MemoryLimit":true,
  "PidsLimit":true,"CpuCfsQuota":false,"SecurityOptions":["name=seccomp,profile=default","name=rootless"]})";
constexpr const char* kPodman =
    R"({"host":{"cgroupVersion":"v2","cgroupControllers":["memory","pids"],
  "ociRuntime":{"name":"crun"},"security":{"rootless":true,"seccompEnabled":true}},
  "version":{"Version":"4.3.1"}})";

TEST(EngineFacts, OfDocker) {
  const auto facts = parse_engine_info(kDocker);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->kind, EngineKind::Docker);
  EXPECT_EQ(facts->version, "20.10.24");
  EXPECT_EQ(facts->runtimes, (std::vector<std::string>{"runc", "runsc"}));
  EXPECT_TRUE(facts->rootless);
  EXPECT_TRUE(facts->memory_limit);
  EXPECT_FALSE(facts->cpu_limit);
}

TEST(EngineFacts, OfPodman) {
  const auto facts = parse_engine_info(kPodman);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->kind, EngineKind::Podman);
  EXPECT_EQ(facts->version, "4.3.1");
  EXPECT_EQ(facts->cgroup_version, "2");
  EXPECT_EQ(facts->default_runtime, "crun");
  EXPECT_TRUE(facts->rootless);
  EXPECT_FALSE(facts->cpu_limit);
}

TEST(EngineFacts, AnythingElseIsNoEngine) {
  for (const char* text : {"", "[]", "{}", "Cannot connect", R"({"ServerErrors":["x"]})"}) {
    EXPECT_FALSE(parse_engine_info(text)) << text;
  }
}

TEST(EngineFacts, LooseningLowersOrIsNoted) {
  const auto facts = parse_engine_info(kDocker);
  ContainerOptions options;
  const auto strict = container_capabilities(*facts, options);
  EXPECT_TRUE(strict.network && strict.filesystem && strict.environment);
  EXPECT_EQ(strict.memory, LimitReach::Tree);
  EXPECT_EQ(strict.cpu, LimitReach::None);
  EXPECT_EQ(strict.disk, LimitReach::None);
  options.offline = false;
  EXPECT_FALSE(container_capabilities(*facts, options).network);
  options = {};
  options.extra_args = {"--privileged"};
  EXPECT_FALSE(container_capabilities(*facts, options).filesystem);
  options = {};
  options.read_only_root = false;
  EXPECT_EQ(container_capabilities(*facts, options).notes.back(),
            "loosened: the image's files are writable");
  options = {};
  options.runtime = "runsc";
  EXPECT_EQ(container_capabilities(*facts, options).isolation, "container/runsc");
}

TEST(ContainerEvent, OfBothEngines) {
  const auto docker = parse_container_event(
      R"({"Type":"container","Action":"die","Actor":{"ID":"1","Attributes":{"exitCode":"3","name":"n"}}})");
  ASSERT_TRUE(docker);
  EXPECT_EQ(docker->name, "n");
  EXPECT_EQ(docker->kind, ContainerEvent::Kind::Died);
  EXPECT_EQ(docker->exit_code, 3);
  const auto podman = parse_container_event(
      R"({"ID":"1","Name":"n","Status":"died","ContainerExitCode":137,"Type":"container"})");
  ASSERT_TRUE(podman);
  EXPECT_EQ(podman->kind, ContainerEvent::Kind::Died);
  EXPECT_EQ(podman->exit_code, 137);
  EXPECT_EQ(parse_container_event(R"({"Name":"n","Status":"died","Type":"container"})")->exit_code,
            0);
  EXPECT_FALSE(parse_container_event(R"({"Type":"image","Status":"pull","Name":"n"})"));
  EXPECT_FALSE(parse_container_event("not json"));
}

ContainerEnd ended(int code, bool oom = false) {
  ContainerEnd end;
  end.client_exit = code;
  end.state = {std::chrono::steady_clock::now(), oom, true, code, true};
  return end;
}

TEST(ContainerOutcome, ExitCodesAndSignals) {
  ExecutionResult result;
  ASSERT_TRUE(fill_container_outcome(ended(0), EngineKind::Docker, result));
  EXPECT_TRUE(result.is_success());
  result = {};
  ASSERT_TRUE(fill_container_outcome(ended(125), EngineKind::Docker, result));
  EXPECT_EQ(result.exit_code, 125);
  result = {};
  ASSERT_TRUE(fill_container_outcome(ended(139), EngineKind::Docker, result));
  EXPECT_EQ(result.signal, "SIGSEGV");
  EXPECT_FALSE(result.exit_code);
  result = {};
  ASSERT_TRUE(fill_container_outcome(ended(255), EngineKind::Docker, result));
  EXPECT_EQ(result.exit_code, 255);
}

TEST(ContainerOutcome, AnyKillForWantOfMemoryIsOutOfMemory) {
  ExecutionResult result;
  ASSERT_TRUE(fill_container_outcome(ended(0, true), EngineKind::Docker, result));
  EXPECT_EQ(result.status, ExecutionStatus::Oom);
  EXPECT_FALSE(result.exit_code);
  result = {};
  ASSERT_TRUE(fill_container_outcome(ended(137), EngineKind::Podman, result));
  EXPECT_EQ(result.status, ExecutionStatus::Oom);
  result = {};
  ASSERT_TRUE(fill_container_outcome(ended(137), EngineKind::Docker, result));
  EXPECT_EQ(result.signal, "SIGKILL");
}

TEST(ContainerOutcome, WhatNeverStartedIsAnErrorOfTheEngine) {
  ContainerEnd end;
  end.client_exit = 125;
  end.before_start = "docker: Error response from daemon: no.\nSee 'docker run --help'.\n";
  ExecutionResult result;
  const auto failed = fill_container_outcome(end, EngineKind::Docker, result);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::BackendUnavailable);
  EXPECT_TRUE(failed.error().message().ends_with("from daemon: no.")) << failed.error().message();
  end.client_exit = 127;
  EXPECT_EQ(fill_container_outcome(end, EngineKind::Docker, result).error().code(),
            ErrorCode::DependencyNotFound);
}

TEST(ContainerOutcome, TheInitsWordsAboutAMissingProgramAreKnown) {
  ExecutionResult result;
  result.exit_code = 127;
  result.stderr_data = "[FATAL tini (7)] exec ruby failed: No such file or directory\n";
  EXPECT_TRUE(is_missing_program(result));
  result.stdout_data = "x";
  EXPECT_FALSE(is_missing_program(result));
  result = {};
  result.exit_code = 1;
  result.stderr_data = "ERROR (catatonit:6): failed to exec pid1: No such file or directory\n";
  EXPECT_TRUE(is_missing_program(result));
  result.exit_code = 0;
  EXPECT_FALSE(is_missing_program(result));
}

}  // namespace
}  // namespace cove
