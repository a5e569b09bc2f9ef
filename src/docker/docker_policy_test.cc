#include "docker/docker_policy.h"

#include <gtest/gtest.h>

#include "policy/validate.h"

namespace cove {
namespace {

DockerEngineFacts good_engine() {
  return {.version = "1",
          .runtime = "runc",
          .memory = true,
          .swap = true,
          .cpus = true,
          .processes = true,
          .remaps_users = false};
}

std::string refusal(const DockerOptions& options, const ExecutionRequest& request) {
  const auto able = docker_capabilities(options, good_engine());
  if (auto valid = validate_request(request, able); !valid) return valid.error().message();
  const auto fits = check_container_fits(options, request);
  if (fits) return "";
  EXPECT_EQ(fits.error().code(), ErrorCode::UnsupportedPolicy);
  return fits.error().message();
}

ExecutionRequest request() {
  ExecutionRequest request;
  request.code = "1";
  return request;
}

TEST(DockerPolicy, TheDefaultRequestFitsTheDefaultContainer) {
  EXPECT_EQ(refusal(DockerOptions::python(), request()), "");
}

TEST(DockerPolicy, ANetworkMustBeWhatThePolicySays) {
  DockerOptions online = DockerOptions::python();
  online.with_network();
  ExecutionRequest asks = request();
  EXPECT_NE(refusal(online, asks).find("network"), std::string::npos);
  asks.policy.network = NetworkPolicy::Enabled;
  EXPECT_EQ(refusal(online, asks), "");
  EXPECT_NE(refusal(DockerOptions::python(), asks).find("with_network"), std::string::npos);
  asks.policy.network = NetworkPolicy::Unrestricted;
  EXPECT_EQ(refusal(DockerOptions::python(), asks), "");
  EXPECT_EQ(refusal(online, asks), "");
}

TEST(DockerPolicy, BindMountsMustBeExactlyThoseOfThePolicy) {
  DockerOptions with_data = DockerOptions::python();
  with_data.bind_mount({"/data", "/data", true});
  ExecutionRequest asks = request();
  EXPECT_NE(refusal(with_data, asks).find("/data"), std::string::npos);
  asks.policy.filesystem.kind = FilesystemPolicy::Kind::Paths;
  asks.policy.filesystem.read_only = {"/data"};
  EXPECT_EQ(refusal(with_data, asks), "");
  EXPECT_NE(refusal(DockerOptions::python(), asks), "");
  asks.policy.filesystem.read_only = {};
  asks.policy.filesystem.read_write = {"/data"};
  EXPECT_NE(refusal(with_data, asks), "");
  asks.policy.filesystem.kind = FilesystemPolicy::Kind::Unrestricted;
  asks.policy.filesystem.read_write = {};
  EXPECT_EQ(refusal(with_data, asks), "");
}

TEST(DockerPolicy, LimitsOfTheContainerCannotBeOthersForOneRequest) {
  const DockerOptions options = DockerOptions::python();
  ExecutionRequest asks = request();
  asks.limits.memory = options.memory;
  asks.limits.processes = 8;
  asks.limits.descriptors = 64;
  EXPECT_EQ(refusal(options, asks), "");
  asks.limits.memory = Bytes::mib(64);
  EXPECT_NE(refusal(options, asks).find("limits.memory"), std::string::npos);
  asks = request();
  asks.policy.limits.disk = Bytes::mib(1);
  EXPECT_NE(refusal(options, asks).find("limits.disk"), std::string::npos);
  asks = request();
  asks.limits.processes = 65;
  EXPECT_NE(refusal(options, asks).find("limits.processes"), std::string::npos);
  asks = request();
  asks.limits.cpu_time = std::chrono::seconds(1);
  EXPECT_NE(refusal(options, asks).find("limits.cpu_time_ms"), std::string::npos);
  asks = request();
  asks.limits.scope = LimitScope::Tree;
  EXPECT_NE(refusal(options, asks).find("tree"), std::string::npos);
}

TEST(DockerPolicy, AContainerMadeForARequestFitsIt) {
  ExecutionRequest asks = request();
  asks.limits.memory = Bytes::mib(100);
  asks.limits.cpus = 0.5;
  asks.limits.processes = 300;
  asks.policy.network = NetworkPolicy::Enabled;
  asks.policy.filesystem.kind = FilesystemPolicy::Kind::WorkspaceReadOnly;
  asks.policy.filesystem.root = "/srv";
  const auto options = fit_to_request(DockerOptions::python(), asks, {});
  ASSERT_TRUE(options);
  EXPECT_EQ(refusal(*options, asks), "");
  EXPECT_TRUE(validate_docker_options(*options));
  EXPECT_EQ(options->work_dir, "/run/cove");
  EXPECT_EQ(options->max_concurrent, 1U);
}

TEST(DockerPolicy, WhatWasOpenedAndWhatTheEngineLacksShows) {
  DockerOptions options = DockerOptions::python();
  options.with_network().bind_mount({"/data", "/d", false});
  DockerEngineFacts weak = good_engine();
  weak.memory = false;
  weak.runtime = "runsc";
  const auto able = docker_capabilities(options, weak);
  EXPECT_FALSE(able.network);
  EXPECT_EQ(able.memory, LimitReach::None);
  EXPECT_EQ(able.isolation, "container/runsc");
  EXPECT_GE(able.notes.size(), 4U);
}

}  // namespace
}  // namespace cove
