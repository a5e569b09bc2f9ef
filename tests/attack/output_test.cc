// Cases 48–52: output.
#include <fstream>

#include "attack_fixture.h"
#include "model/result_codec.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCap = 1U << 20U;

// The most memory that this process had since it was last asked.
long peak_memory() {
  long kib = 0;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> kib;
  }
  std::ofstream("/proc/self/clear_refs") << "5";
  return kib << 10U;
}

TEST_P(Attack, Case48StdoutFlood) {
  ExecutionRequest request = program("48_stdout_flood.py");
  request.timeout = 1000ms;
  const auto result = attack(request, "output cap; deadline");
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_LE(result.stdout_data.size(), kCap);
  EXPECT_GT(result.stdout_data.size(), kCap / 2);
  EXPECT_TRUE(hit(result, LimitHit::Output));
  EXPECT_LT(result.duration, 1900ms) << "the flood held up the kill";
}

TEST_P(Attack, Case49OneLongLine) {
  ExecutionRequest request = program("49_one_long_line.py");
  request.timeout = 10s;
  static_cast<void>(peak_memory());
  const auto before = peak_memory();
  const auto result = attack(request, "output cap; JSON codec");
  EXPECT_LT(peak_memory() - before, 32 << 20) << "the line was kept before it was cut";
  EXPECT_TRUE(result.is_success());
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_LE(result.stdout_data.size(), kCap);
  const auto back = decode_result_text(encode_result_text(result));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_FALSE(back->stdout_data.empty());
}

TEST_P(Attack, Case50ForgedResult) {
  const auto result = attack("50_forged_result.py", "the exit code comes from the kernel");
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_EQ(result.exit_code.value_or(-1), 3);
  EXPECT_NE(result.stdout_data.find("forged"), std::string::npos);
  EXPECT_FALSE(result.output.has_value());
}

TEST_P(Attack, Case51InheritedDescriptors) {
  const auto result = attack("51_inherited_descriptors.py", "nothing is inherited");
  const auto facts = seen(result);
  EXPECT_EQ(fact(facts, "open"), "[]");
  for (const auto& [number, target] : facts.at("links").as_object()) {
    EXPECT_TRUE(target == "pipe" || target.as_string().starts_with("/proc/")) << number << target;
  }
}

TEST_P(Attack, Case52StderrFlood) {
  const auto result = attack("52_stderr_flood.py", "both streams are drained");
  EXPECT_TRUE(result.is_success()) << result.stdout_data;
  EXPECT_EQ(result.stdout_data, "and out\n");
  EXPECT_TRUE(result.stderr_truncated);
  EXPECT_LE(result.stderr_data.size(), kCap);
}

}  // namespace
}  // namespace cove::attack
