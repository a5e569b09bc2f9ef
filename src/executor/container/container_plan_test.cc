#include "executor/container/container_plan.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

namespace cove {
namespace {

LanguageProfile python() {
  LanguageProfile profile;
  profile.name = "python";
  profile.extension = "py";
  profile.interpreters = {"/usr/bin/python3"};
  profile.run_args = {"{program}"};
  profile.env = {{"PYTHONPATH", "/workspace"}};
  profile.container = {"python:3.12-slim", {"python3", "{program}"}, {"python3", "-"}};
  return profile;
}

ExecutionRequest some_request() {
  ExecutionRequest request;
  request.code = "print('the code itself')";
  return request;
}

std::vector<std::string> words_of(const ContainerPlan& plan) {
  return build_run_args({}, EngineKind::Docker, plan.run);
}

TEST(ContainerPlan, CodeComesOnStdinWhenItIsAlone) {
  ExecutionRequest request = some_request();
  request.args = {"a b"};
  auto plan = plan_container(python(), {}, request);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_TRUE(plan->code_on_stdin);
  EXPECT_EQ(plan->run.argv, (std::vector<std::string>{"python3", "-", "a b"}));

  request.stdin_data = "x";
  plan = plan_container(python(), {}, request);
  EXPECT_FALSE(plan->code_on_stdin);
  EXPECT_EQ(plan->run.argv, (std::vector<std::string>{"python3", "/code/main.py", "a b"}));
  request.stdin_data.clear();
  request.files = {{"f", "x", {}}};
  EXPECT_FALSE(plan_container(python(), {}, request)->code_on_stdin);
}

TEST(ContainerPlan, NeitherCodeNorValuesAreInTheWords) {
  ExecutionRequest request = some_request();
  request.env = {{"TOKEN", "secret-value"}};
  const auto plan = plan_container(python(), {}, request);
  ASSERT_TRUE(plan);
  for (const std::string& word : words_of(*plan)) {
    EXPECT_EQ(word.find("the code itself"), std::string::npos);
    EXPECT_EQ(word.find("secret-value"), std::string::npos);
  }
  EXPECT_NE(std::ranges::find(plan->client_env, "TOKEN=secret-value"), plan->client_env.end());
  EXPECT_NE(std::ranges::find(plan->run.env, "TOKEN"), plan->run.env.end());
}

// A request that could set DOCKER_HOST for the client would choose the engine that runs it.
TEST(ContainerPlan, VariablesThatTheClientReadsDoNotReachIt) {
  ExecutionRequest request = some_request();
  request.env = {{"DOCKER_HOST", "tcp://evil"}, {"PATH", "/evil"}, {"https_proxy", "evil:1"}};
  const auto plan = plan_container(python(), {}, request);
  ASSERT_TRUE(plan);
  for (const std::string& entry : plan->client_env) {
    EXPECT_EQ(entry.find("evil"), std::string::npos) << entry;
  }
  EXPECT_NE(std::ranges::find(plan->run.env, "DOCKER_HOST=tcp://evil"), plan->run.env.end());
}

TEST(ContainerPlan, OnlyListedVariablesOfTheHostArePassed) {
  ::setenv("COVE_PLAN_A", "1", 1);
  ::setenv("COVE_PLAN_B", "2", 1);
  ExecutionRequest request = some_request();
  request.policy.environment = {EnvironmentPolicy::Kind::AllowList, {"COVE_PLAN_A", "COVE_NONE"}};
  const auto plan = plan_container(python(), {}, request);
  ::unsetenv("COVE_PLAN_A");
  ::unsetenv("COVE_PLAN_B");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->run.env, (std::vector<std::string>{"COVE_PLAN_A", "PYTHONPATH"}));
}

TEST(ContainerPlan, PathsOfThePolicyBecomeMounts) {
  ExecutionRequest request = some_request();
  request.policy.filesystem = {FilesystemPolicy::Kind::Paths, "", {"/usr"}, {"/var/tmp"}};
  const auto plan = plan_container(python(), {}, request);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->run.mounts.size(), 2U);
  EXPECT_EQ(plan->run.mounts[0].target, "/usr");
  EXPECT_FALSE(plan->run.mounts[0].writable);
  EXPECT_TRUE(plan->run.mounts[1].writable);
  request.policy.filesystem = {FilesystemPolicy::Kind::WorkspaceReadOnly, "/usr", {}, {}};
  const auto workspace = plan_container(python(), {}, request);
  ASSERT_TRUE(workspace);
  EXPECT_FALSE(workspace->own_workspace);
  EXPECT_EQ(workspace->run.mounts[0].target, "/workspace");
}

TEST(ContainerPlan, PathsThatCannotBeShownAreRefused) {
  for (const char* path : {"/no/such/path", "/", "/proc", "/dev/../dev/shm", "/code/x"}) {
    ExecutionRequest request = some_request();
    request.policy.filesystem = {FilesystemPolicy::Kind::Paths, "", {path}, {}};
    const auto plan = plan_container(python(), {}, request);
    ASSERT_FALSE(plan) << path;
    EXPECT_EQ(plan.error().code(), ErrorCode::UnsupportedPolicy);
  }
}

TEST(ContainerPlan, WhatItCannotDoIsRefused) {
  ExecutionRequest request = some_request();
  request.limits.cpu_time = std::chrono::seconds(1);
  EXPECT_EQ(plan_container(python(), {}, request).error().code(), ErrorCode::UnsupportedPolicy);
  request = some_request();
  request.input = json::value(1);
  EXPECT_EQ(plan_container(python(), {}, request).error().field(), "input");
}

TEST(ContainerPlan, ALanguageWithoutAnImageNeedsOneNamed) {
  LanguageProfile bare = python();
  bare.container = {};
  const auto none = plan_container(bare, {}, some_request());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::UnsupportedLanguage);
  ContainerOptions options;
  options.image = "mine";
  const auto plan = plan_container(bare, options, some_request());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->run.image, "mine");
  EXPECT_EQ(plan->run.argv, (std::vector<std::string>{"python3", "/code/main.py"}));
}

TEST(ContainerPlan, OptionsThatWouldBeOtherWordsAreRefused) {
  ContainerOptions options;
  options.image = "--privileged";
  EXPECT_EQ(check_container_options(options).error().field(), "image");
  options.image = "a b";
  EXPECT_FALSE(check_container_options(options));
  EXPECT_TRUE(check_container_options({}));
}

}  // namespace
}  // namespace cove
