#include "model/policy_codec.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

Result<SandboxPolicy> decode(std::string_view text) {
  return decode_policy(json::parse(json::string_view(text.data(), text.size())), "policy");
}

std::string problem_of(std::string_view text) {
  const auto policy = decode(text);
  return policy ? "accepted" : policy.error().message();
}

TEST(PolicyCodec, WhatIsAbsentIsStrict) {
  const auto policy = decode("{}");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->network, NetworkPolicy::Disabled);
  EXPECT_EQ(policy->filesystem.kind, FilesystemPolicy::Kind::None);
  EXPECT_EQ(policy->environment.kind, EnvironmentPolicy::Kind::None);
  EXPECT_EQ(policy->timeout, std::chrono::seconds(30));
  EXPECT_EQ(policy->name, "custom");
}

TEST(PolicyCodec, EveryFormComesBackAsItWas) {
  for (const std::string_view text : {
           R"({"name":"n","description":"d","network":"enabled","filesystem":"unrestricted",
               "environment":"unrestricted","timeout":"1500ms"})",
           R"({"filesystem":{"kind":"workspace_read_only","root":"/srv/data"}})",
           R"({"filesystem":{"kind":"workspace_read_write","root":"/srv/data"}})",
           R"({"filesystem":{"kind":"paths","read_only":["/a"],"read_write":["/b/c"]}})",
           R"({"environment":{"kind":"allow_list","names":["LANG"]},"limits":{"memory":"1g"},
               "working_directory":"sub/dir"})",
       }) {
    const auto policy = decode(text);
    ASSERT_TRUE(policy) << policy.error().message();
    const auto again = decode_policy(encode_policy(*policy), "policy");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(encode_policy(*again), encode_policy(*policy));
  }
}

TEST(PolicyCodec, ErrorsSayWhatIsAllowed) {
  EXPECT_EQ(
      problem_of(R"({"network":"off"})"),
      "field \"policy.network\": must be one of disabled, enabled, unrestricted, got \"off\"");
  EXPECT_NE(problem_of(R"({"filesystem":{"kind":"all"}})").find("workspace_read_only"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"filesystem":{}})").find("\"policy.filesystem.kind\": is required"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"timeout":30})").find("policy.timeout"), std::string::npos);
  EXPECT_NE(problem_of(R"({"timeout":"0s"})").find("policy.timeout"), std::string::npos);
  EXPECT_NE(problem_of(R"({"timeout":"48h"})").find("policy.timeout"), std::string::npos);
  EXPECT_NE(problem_of(R"({"environment":{"kind":"allow_list","names":["A=B"]}})").find("names[0]"),
            std::string::npos);
}

TEST(PolicyCodec, HostPathsAreAbsoluteAndPlain) {
  for (const std::string_view root : {"", "data", "/", "/a/../b", "/a//b", "/a/", "./a"}) {
    const std::string text =
        R"({"filesystem":{"kind":"workspace_read_only","root":")" + std::string(root) + "\"}}";
    EXPECT_NE(problem_of(text).find("policy.filesystem.root"), std::string::npos) << root;
  }
  EXPECT_NE(problem_of(R"({"filesystem":{"kind":"workspace_read_only"}})").find("root"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"filesystem":{"kind":"paths"}})").find("needs"), std::string::npos);
  EXPECT_NE(problem_of(R"({"filesystem":{"kind":"paths","read_only":["/ok","no"]}})")
                .find("read_only[1]"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"working_directory":"/etc"})").find("working_directory"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"working_directory":"../x"})").find("working_directory"),
            std::string::npos);
}

}  // namespace
}  // namespace cove
