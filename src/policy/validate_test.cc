#include "policy/validate.h"

#include <gtest/gtest.h>

#include "policy/explain.h"
#include "policy/presets.h"

namespace cove {
namespace {

BackendCapabilities everything() {
  BackendCapabilities can;
  can.backend = "native";
  can.isolation = "namespaces";
  can.network = can.filesystem = can.environment = can.timeout = true;
  can.memory = can.processes = can.cpu = can.disk = LimitReach::Tree;
  can.descriptors = can.output_caps = true;
  return can;
}

BackendCapabilities local() {
  BackendCapabilities can;
  can.backend = "local";
  can.isolation = "none";
  can.timeout = can.output_caps = true;
  return can;
}

SandboxPolicy preset(std::string_view name) {
  return PresetCatalog().find(name).value();
}

std::string problem_of(const SandboxPolicy& policy, const BackendCapabilities& can) {
  const auto result = validate_policy(policy, can);
  if (result) return "accepted";
  EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy);
  return result.error().message();
}

TEST(Validate, ABackendThatCanDoEverythingTakesEveryPreset) {
  for (const SandboxPolicy& policy : builtin_presets()) {
    EXPECT_EQ(problem_of(policy, everything()), "accepted") << policy.name;
  }
}

TEST(Validate, EachAspectIsRefusedByName) {
  const auto without = [](auto member) {
    BackendCapabilities can = everything();
    can.*member = false;
    return problem_of(preset("strict"), can);
  };
  EXPECT_TRUE(without(&BackendCapabilities::network)
                  .starts_with("backend cannot enforce network restrictions"));
  EXPECT_TRUE(without(&BackendCapabilities::filesystem)
                  .starts_with("backend cannot enforce filesystem restrictions"));
  EXPECT_TRUE(without(&BackendCapabilities::environment)
                  .starts_with("backend cannot enforce environment variable restrictions"));
  EXPECT_TRUE(without(&BackendCapabilities::timeout)
                  .starts_with("backend cannot enforce execution timeouts"));
  EXPECT_TRUE(
      without(&BackendCapabilities::output_caps).starts_with("backend cannot enforce output caps"));
}

TEST(Validate, NoIsolationNamesThePolicyForTrustedCode) {
  const std::string problem = problem_of(preset("strict"), local());
  EXPECT_TRUE(problem.starts_with("backend cannot enforce network restrictions")) << problem;
  EXPECT_NE(problem.find("the policy host_local"), std::string::npos) << problem;
  EXPECT_EQ(problem_of(preset("host_local"), local()), "accepted");
  EXPECT_EQ(policy_refusals(preset("strict"), local()).size(), 3U);
}

TEST(Validate, DenyingIsAskedForEvenWhenNothingIsGranted) {
  // `none` is a restriction, not the absence of one.
  SandboxPolicy policy = preset("host_local");
  policy.filesystem.kind = FilesystemPolicy::Kind::None;
  EXPECT_NE(problem_of(policy, local()), "accepted");
  policy = preset("host_local");
  policy.environment = {EnvironmentPolicy::Kind::AllowList, {"LANG"}};
  EXPECT_NE(problem_of(policy, local()), "accepted");
  policy = preset("host_local");
  policy.network = NetworkPolicy::Enabled;
  EXPECT_EQ(problem_of(policy, local()), "accepted");
}

TEST(Validate, ALimitThatWasAskedForIsNotDroppedSilently) {
  ExecutionRequest request;
  request.policy = preset("host_local");
  EXPECT_TRUE(validate_request(request, local()));
  request.limits.memory = Bytes::mib(64);
  const auto result = validate_request(request, local());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy);
  EXPECT_TRUE(result.error().message().starts_with("backend cannot enforce memory limits"));
  EXPECT_NE(result.error().message().find("leave out limits.memory"), std::string::npos);
  BackendCapabilities can = local();
  can.memory = LimitReach::PerProcess;
  EXPECT_TRUE(validate_request(request, can));
}

TEST(Validate, AShareOfTheProcessorsNeedsAGroup) {
  ExecutionRequest request;
  request.limits.cpus = 0.5;
  BackendCapabilities can = everything();
  can.cpu = LimitReach::PerProcess;
  EXPECT_EQ(request_refusals(request, can).at(0).aspect, "limits.cpus");
  request.limits.cpus.reset();
  request.limits.cpu_time = std::chrono::seconds(1);
  EXPECT_TRUE(validate_request(request, can));
}

TEST(Validate, ScopeTreeIsRefusedWithoutACgroup) {
  ExecutionRequest request;
  request.limits.scope = LimitScope::Tree;
  EXPECT_TRUE(validate_request(request, everything()));
  for (const auto& [member, aspect] :
       {std::pair{&BackendCapabilities::memory, "limits.memory"},
        std::pair{&BackendCapabilities::processes, "limits.processes"},
        std::pair{&BackendCapabilities::cpu, "limits.cpus"},
        std::pair{&BackendCapabilities::disk, "limits.disk"}}) {
    for (const LimitReach reach : {LimitReach::None, LimitReach::PerProcess, LimitReach::PerUser}) {
      BackendCapabilities can = everything();
      can.*member = reach;
      const auto refusals = request_refusals(request, can);
      ASSERT_EQ(refusals.size(), 1U) << aspect;
      EXPECT_EQ(refusals[0].aspect, aspect);
      EXPECT_NE(refusals[0].hint.find("strongest"), std::string::npos);
    }
  }
}

TEST(Validate, ARequestBuiltByHandIsCheckedToo) {
  ExecutionRequest request;
  request.files = {{"../x", "", {}}};
  EXPECT_EQ(validate_request(request, everything()).error().field(), "files[0].name");
  request.files.clear();
  request.env = {{"LD_PRELOAD", "x"}};
  EXPECT_EQ(validate_request(request, everything()).error().field(), "env.LD_PRELOAD");
  request.env.clear();
  request.timeout = std::chrono::milliseconds(0);
  EXPECT_EQ(validate_request(request, everything()).error().field(), "timeout_ms");
  request.timeout.reset();
  request.policy.filesystem.kind = FilesystemPolicy::Kind::WorkspaceReadOnly;
  EXPECT_EQ(validate_request(request, everything()).error().field(), "policy.filesystem.root");
}

TEST(Validate, DefaultsThatDoNotHoldAreListed) {
  BackendCapabilities can = everything();
  EXPECT_TRUE(unenforced_defaults({}, {}, can).empty());
  can.disk = LimitReach::None;
  can.cpu = LimitReach::PerProcess;  // no share of the processors then
  EXPECT_EQ(unenforced_defaults({}, {}, can),
            (std::vector<std::string>{"limits.cpus", "limits.disk"}));
  Limits asked;
  asked.disk = Bytes::mib(1);  // refused, not passed over
  EXPECT_EQ(unenforced_defaults(asked, {}, can), std::vector<std::string>{"limits.cpus"});
}

TEST(Explain, DefaultsThatDoNotHoldAreSaid) {
  BackendCapabilities can = everything();
  can.disk = LimitReach::None;
  const std::string text = explain_policy(preset("strict"), can);
  EXPECT_NE(text.find("these defaults are not enforced here"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(": limits.disk\n")) << text;
}

TEST(Explain, WhatOnlyTheBackendFindsIsARefusalToo) {
  const std::string text = explain_policy(preset("strict"), everything(),
                                          {{"filesystem", "/x does not exist on this host", ""}});
  EXPECT_TRUE(text.ends_with("  - filesystem: /x does not exist on this host\n")) << text;
  EXPECT_EQ(text.find("accepted"), std::string::npos) << text;
}

TEST(Explain, LimitsOfTheLanguageAreItsOwn) {
  Limits profile;
  profile.memory = Bytes::mib(99);
  const std::string text = explain_request({}, everything(), profile);
  EXPECT_NE(text.find("99 MiB (language)"), std::string::npos) << text;
  EXPECT_NE(text.find("64 (default)"), std::string::npos) << text;
}

TEST(Explain, UnrestrictedFilesStayPrivateAllTheSame) {
  EXPECT_NE(explain_policy(preset("host_local"), everything()).find("keeps files private"),
            std::string::npos);
  EXPECT_EQ(explain_policy(preset("host_local"), local()).find("keeps files private"),
            std::string::npos);
}

TEST(Explain, SaysWhatWillBeEnforced) {
  const std::string text = explain_policy(preset("strict"), everything());
  EXPECT_TRUE(text.starts_with("policy strict on backend native, isolation namespaces\n")) << text;
  EXPECT_NE(text.find("512 MiB (default"), std::string::npos) << text;
  EXPECT_NE(text.find("over the whole process tree"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("accepted: everything that is asked for will be enforced\n")) << text;
}

TEST(Explain, SaysWhyItIsRefused) {
  BackendCapabilities can = local();
  can.notes = {"this backend does not isolate"};
  ExecutionRequest request;
  request.limits.memory = Bytes::mib(64);
  const std::string text = explain_request(request, can);
  EXPECT_NE(text.find("CANNOT BE ENFORCED"), std::string::npos) << text;
  EXPECT_NE(text.find("64 MiB (request)"), std::string::npos) << text;
  EXPECT_NE(text.find("refused, before anything runs:\n  - network: backend cannot enforce"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  - limits.memory: "), std::string::npos) << text;
  EXPECT_NE(text.find("note: this backend does not isolate"), std::string::npos) << text;
}

TEST(Explain, APolicyCanBeShownWithoutABackend) {
  SandboxPolicy policy = preset("host_local");
  policy.filesystem = {FilesystemPolicy::Kind::Paths, "", {"/a\n"}, {}};
  const std::string text = describe_policy(policy);
  EXPECT_NE(text.find("paths: read /a\\x0a; write nothing"), std::string::npos) << text;
  EXPECT_EQ(text.find("enforced"), std::string::npos) << text;
}

}  // namespace
}  // namespace cove
