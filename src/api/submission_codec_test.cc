#include "api/submission_codec.h"

#include <gtest/gtest.h>

#include "api/load_config.h"

namespace cove {
namespace {

class SubmissionCodec : public ::testing::Test {
 protected:
  ServerConfig config_ = load_config({})->config;
  PresetCatalog presets_;
  RequestGuard guard_{config_, presets_};

  std::string field_of(std::string_view body) {
    const auto decoded = decode_sidecar_submission(body, guard_);
    return decoded ? "accepted" : decoded.error().field();
  }
};

TEST_F(SubmissionCodec, SidecarRequest) {
  const auto decoded = decode_sidecar_submission(
      R"({"code":"x","timeout_ms":-5,"files":[{"name":"a.csv","content":"1,2"},
          {"name":"b.bin","content":"AAE=","encoding":"base64"}]})",
      guard_);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_FALSE(decoded->request.timeout);
  ASSERT_EQ(decoded->request.files.size(), 2U);
  EXPECT_EQ(decoded->request.files[0].content, "1,2");
  EXPECT_EQ(decoded->request.files[1].content, std::string("\0\1", 2));
  EXPECT_EQ(decoded->policy_name, "strict");
}

TEST_F(SubmissionCodec, NamesWhatIsWrong) {
  EXPECT_EQ(field_of("{}"), "code");
  EXPECT_EQ(field_of(R"({"code":1})"), "code");
  EXPECT_EQ(field_of(R"({"code":"x","files":[{"name":"../a","content":""}]})"), "files[0].name");
  EXPECT_EQ(field_of(R"({"code":"x","files":[{"name":"a/b","content":""}]})"), "files[0].name");
  EXPECT_EQ(field_of(R"({"code":"x","files":[{"name":"","content":""}]})"), "files[0].name");
  EXPECT_EQ(field_of(R"({"code":"x","files":[{"name":"a","content":"","encoding":"x"}]})"),
            "files[0].encoding");
  EXPECT_EQ(field_of(R"({"code":"x","identity":"root"})"), "identity");
  EXPECT_EQ(field_of(R"({"code":"x","execution_id":"e"})"), "execution_id");
  EXPECT_EQ(field_of(R"({"code":"x","what":1})"), "what");
  EXPECT_EQ(field_of(R"({"code":"x","timeout_ms":"1"})"), "timeout_ms");
  EXPECT_EQ(field_of(R"({"code":"x","limits":{"memory":"8g"}})"), "limits.memory");
  EXPECT_EQ(field_of(R"({"code":"x","policy":"host_local"})"), "policy");
  EXPECT_EQ(field_of(R"({"code":"x","timeout_ms":999999999999})"), "accepted");
}

TEST_F(SubmissionCodec, WhatIsRefusedIsNotCalledAllowed) {
  const auto decoded = decode_submission(R"({"code":"x","what":1})", guard_);
  ASSERT_FALSE(decoded);
  const std::string& message = decoded.error().message();
  EXPECT_NE(message.find("collect_file_contents"), std::string::npos) << message;
  EXPECT_EQ(message.find("execution_id"), std::string::npos) << message;
  EXPECT_EQ(message.find("identity"), std::string::npos) << message;
}

TEST_F(SubmissionCodec, OwnPoliciesNeedTheOperatorsWord) {
  const std::string body = R"({"code":"x","policy":{"filesystem":"unrestricted"}})";
  const auto refused = decode_submission(body, guard_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::Forbidden);
  config_.custom_policies = true;
  const auto taken = decode_submission(body, guard_);
  ASSERT_TRUE(taken) << taken.error().message();
  EXPECT_EQ(taken->policy_name, "");
}

TEST_F(SubmissionCodec, AnEmptyBodyIsSaidToBeEmpty) {
  const auto decoded = decode_submission("  ", guard_);
  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().message().find("empty"), std::string::npos);
}

TEST_F(SubmissionCodec, FilesOfV1MayBeText) {
  const auto decoded = decode_submission(
      R"({"code":"x","files":[{"name":"a/b.csv","content":"1,2","encoding":"utf8"},
          {"name":"c","content":"AAE="}]})",
      guard_);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded->request.files[0].content, "1,2");
  EXPECT_EQ(decoded->request.files[1].content, std::string("\0\1", 2));
  const auto wrong = decode_submission(
      R"({"code":"x","files":[{"name":"a","content":"","encoding":"latin1"}]})", guard_);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().field(), "files[0].encoding");
}

TEST_F(SubmissionCodec, AKeyThatDoesNotAllowTheDefaultPolicyGetsOneThatItAllows) {
  const RequestGuard limited(config_, presets_, {"strict_js", "nope"});
  EXPECT_EQ(limited.offered(), std::vector<std::string>{"strict_js"});
  const auto decoded = decode_submission(R"({"code":"x"})", limited);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded->policy_name, "strict_js");
  EXPECT_FALSE(limited.allows_custom());
}

TEST_F(SubmissionCodec, APolicyGivesNoMoreThanTheServer) {
  config_.max_output = Bytes::kib(64);
  const auto decoded = decode_submission(R"({"code":"x"})", guard_);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded->request.policy.limits.stdout_bytes, Bytes::kib(64));
  ASSERT_EQ(decoded->notes.size(), 2U);
  EXPECT_EQ(decoded->notes[0], "limits.stdout_bytes is 64 KiB, the most here, not 1 MiB");
  EXPECT_EQ(field_of(R"({"code":"x","limits":{"stdout_bytes":65537}})"), "limits.stdout_bytes");
}

}  // namespace
}  // namespace cove
