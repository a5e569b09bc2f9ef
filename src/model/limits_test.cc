#include "model/limits.h"

#include <limits>

#include <gtest/gtest.h>

#include "model/limits_codec.h"

namespace cove {
namespace {

std::string problem_of(std::string_view text) {
  const auto limits =
      decode_limits(json::parse(json::string_view(text.data(), text.size())), "limits");
  return limits ? "" : limits.error().message();
}

TEST(ResolveLimits, TheFirstThatSaysSomethingWins) {
  Limits request;
  Limits policy;
  Limits profile;
  request.memory = Bytes::mib(1);
  policy.memory = Bytes::mib(2);
  profile.memory = Bytes::mib(3);
  policy.processes = 7;
  profile.processes = 8;
  profile.disk = Bytes::mib(9);
  const ResolvedLimits resolved = resolve_limits(request, policy, profile);
  EXPECT_EQ(resolved.memory, Bytes::mib(1));
  EXPECT_EQ(resolved.processes, 7U);
  EXPECT_EQ(resolved.disk, Bytes::mib(9));
  EXPECT_EQ(resolved.inodes, 16384U);
  EXPECT_EQ(resolved.descriptors, 256U);
  EXPECT_EQ(resolved.stdout_bytes, Bytes::mib(1));
  EXPECT_FALSE(resolved.cpu_time);
}

TEST(ResolveLimits, ARequestDoesNotSoftenThePolicysScope) {
  Limits request;
  Limits policy;
  request.scope = LimitScope::Strongest;
  policy.scope = LimitScope::Tree;
  EXPECT_EQ(resolve_limits(request, policy, {}).scope, LimitScope::Tree);
  EXPECT_EQ(resolve_limits(policy, request, {}).scope, LimitScope::Tree);
}

TEST(LimitsCodec, ReadsSizesAsTextOrBytes) {
  const auto limits = decode_limits(
      json::parse(R"({"memory":"256m","cpus":0.5,"cpu_time_ms":1500,"processes":3,"disk":1048576,
                      "inodes":100,"descriptors":32,"stdout_bytes":0,"stderr_bytes":"1k",
                      "scope":"tree"})"),
      "limits");
  ASSERT_TRUE(limits) << limits.error().message();
  EXPECT_EQ(limits->memory, Bytes::mib(256));
  EXPECT_EQ(limits->cpus, 0.5);
  EXPECT_EQ(limits->cpu_time, std::chrono::milliseconds(1500));
  EXPECT_EQ(limits->stdout_bytes, Bytes{0});
  EXPECT_EQ(limits->scope, LimitScope::Tree);
  const auto again = decode_limits(encode_limits(*limits), "limits");
  ASSERT_TRUE(again);
  EXPECT_EQ(encode_limits(*again), encode_limits(*limits));
}

TEST(LimitsCodec, EachErrorNamesTheLimit) {
  EXPECT_EQ(problem_of(R"({"memory":5})"),
            "field \"limits.memory\": must be between 1 MiB and 1 TiB, got 5 B");
  EXPECT_NE(problem_of(R"({"memory":"lots"})").find("\"limits.memory\": must be a size"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"memory":-1})").find("negative"), std::string::npos);
  EXPECT_NE(problem_of(R"({"memory":true})").find("limits.memory"), std::string::npos);
  EXPECT_NE(problem_of(R"({"memory":18446744073709551615})").find("too large"), std::string::npos);
  EXPECT_NE(problem_of(R"({"cpus":0})").find("limits.cpus"), std::string::npos);
  EXPECT_NE(problem_of(R"({"processes":0})").find("limits.processes"), std::string::npos);
  EXPECT_NE(problem_of(R"({"processes":5000000000})").find("limits.processes"), std::string::npos);
  EXPECT_NE(problem_of(R"({"cpu_time_ms":0})").find("limits.cpu_time_ms"), std::string::npos);
  EXPECT_NE(problem_of(R"({"scope":"all"})").find("strongest, tree"), std::string::npos);
  EXPECT_NE(problem_of(R"({"mem":1})").find("\"limits.mem\": is not known here"),
            std::string::npos);
}

TEST(ValidateLimits, NotANumberIsNotAShareOfProcessors) {
  Limits limits;
  limits.cpus = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(validate_limits(limits, "limits"));
}

}  // namespace
}  // namespace cove
