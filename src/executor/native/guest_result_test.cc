#include "executor/native/guest_result.h"

#include <signal.h>

#include <gtest/gtest.h>

namespace cove {
namespace {

using sandbox::EndReason;
using sandbox::GuestEnd;
using std::chrono::microseconds;

// As waitpid gives them.
constexpr int exited(int code) {
  return code << 8;
}
constexpr int signalled(int number) {
  return number;
}

ExecutionResult outcome(const GuestEnd& end) {
  ExecutionResult result;
  fill_outcome(end, result);
  return result;
}

GuestEnd ended(int wait_status) {
  GuestEnd end;
  end.reason = EndReason::Exited;
  end.wait_status = wait_status;
  return end;
}

TEST(GuestResult, ExitCodes) {
  const auto good = outcome(ended(exited(0)));
  EXPECT_EQ(good.status, ExecutionStatus::Success);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_FALSE(good.killed);
  EXPECT_TRUE(good.limits_hit.empty());
  for (const int code : {1, 3, 124, 137, 255}) {
    const auto bad = outcome(ended(exited(code)));
    EXPECT_EQ(bad.status, ExecutionStatus::Failed);
    EXPECT_EQ(bad.exit_code, code);
    EXPECT_EQ(bad.signal, std::nullopt);
    EXPECT_FALSE(bad.oom);
  }
}

TEST(GuestResult, SignalsHaveNamesAndNoExitCode) {
  const auto crashed = outcome(ended(signalled(SIGSEGV) | 0x80));  // 0x80: a core was dumped
  EXPECT_EQ(crashed.status, ExecutionStatus::Failed);
  EXPECT_EQ(crashed.signal, "SIGSEGV");
  EXPECT_EQ(crashed.exit_code, std::nullopt);
  EXPECT_FALSE(crashed.killed) << "nobody of us ended it";
  EXPECT_EQ(outcome(ended(signalled(SIGKILL))).signal, "SIGKILL");
  EXPECT_EQ(outcome(ended(signalled(60))).signal, "SIG60");
}

TEST(GuestResult, ASignalOfALimitNamesTheLimit) {
  EXPECT_EQ(outcome(ended(signalled(SIGXCPU))).limits_hit, std::vector{LimitHit::Cpu});
  EXPECT_EQ(outcome(ended(signalled(SIGXFSZ))).limits_hit, std::vector{LimitHit::Disk});
}

TEST(GuestResult, WhatWeEndedIsKilledAndHasNoExitCode) {
  for (const auto& [reason, status] : {std::pair{EndReason::Deadline, ExecutionStatus::Timeout},
                                       {EndReason::Cancelled, ExecutionStatus::Cancelled},
                                       {EndReason::CpuBudget, ExecutionStatus::Timeout},
                                       {EndReason::Lost, ExecutionStatus::Failed}}) {
    GuestEnd end;
    end.reason = reason;
    end.wait_status = signalled(SIGKILL);
    const auto result = outcome(end);
    EXPECT_EQ(result.status, status);
    EXPECT_TRUE(result.killed);
    EXPECT_EQ(result.exit_code, std::nullopt);
    EXPECT_EQ(result.signal, std::nullopt);
  }
}

TEST(GuestResult, ASpentProcessorBudgetIsToldApartFromTheDeadline) {
  GuestEnd end;
  end.reason = EndReason::CpuBudget;
  EXPECT_EQ(outcome(end).limits_hit, std::vector{LimitHit::Cpu});
  end.reason = EndReason::Deadline;
  EXPECT_TRUE(outcome(end).limits_hit.empty());
}

TEST(GuestResult, AKillForWantOfMemoryOverrulesHowTheMainProcessEnded) {
  for (const int status : {exited(0), exited(1), signalled(SIGKILL)}) {
    GuestEnd end = ended(status);
    end.oom_kills = 1;
    const auto result = outcome(end);
    EXPECT_EQ(result.status, ExecutionStatus::Oom);
    EXPECT_TRUE(result.oom);
    EXPECT_EQ(result.exit_code, std::nullopt);
    EXPECT_EQ(result.signal, std::nullopt);
    EXPECT_EQ(result.limits_hit, std::vector{LimitHit::Memory});
  }
}

TEST(GuestResult, TheFirstReasonWins) {
  GuestEnd end;
  end.reason = EndReason::Deadline;
  end.oom_kills = 1;
  EXPECT_EQ(outcome(end).status, ExecutionStatus::Timeout);
  end.reason = EndReason::OutOfMemory;
  const auto result = outcome(end);
  EXPECT_EQ(result.status, ExecutionStatus::Oom);
  EXPECT_TRUE(result.killed);
}

TEST(GuestResult, RefusedForksAreALimitThatWasHit) {
  GuestEnd end = ended(exited(1));
  end.refused_forks = 12;
  EXPECT_EQ(outcome(end).limits_hit, std::vector{LimitHit::Pids});
  EXPECT_EQ(outcome(end).status, ExecutionStatus::Failed);
}

TEST(GuestResult, UsageIsHandedOn) {
  GuestEnd end = ended(exited(0));
  end.cpu = microseconds(1234);
  end.peak_bytes = 5678;
  EXPECT_EQ(outcome(end).usage.cpu, microseconds(1234));
  EXPECT_EQ(outcome(end).usage.peak_memory->value, 5678U);
}

ExecutionResult printed(std::string text, ExecutionStatus status = ExecutionStatus::Success) {
  ExecutionResult result;
  result.status = status;
  result.exit_code = status == ExecutionStatus::Success ? 0 : 1;
  result.stdout_data = std::move(text);
  take_structured_output(result);
  return result;
}

TEST(StructuredOutput, IsTheLastLine) {
  const auto result = printed("hello\n42\n{\"a\": [1, 2]}\n");
  ASSERT_TRUE(result.output.has_value());
  EXPECT_EQ(json::serialize(*result.output), R"({"a":[1,2]})");
  EXPECT_EQ(result.display_stdout, "hello\n42");
}

TEST(StructuredOutput, MayBeAllThereIs) {
  const auto result = printed("null");
  ASSERT_TRUE(result.output.has_value());
  EXPECT_TRUE(result.output->is_null());
  EXPECT_EQ(result.display_stdout, "");
}

TEST(StructuredOutput, IsAbsentWhereTheLastLineIsNoJson) {
  for (const char* text : {"", "\n\n", "Traceback\n", "1\noops\n", "{\"a\": 1}\nlater\n", "1 2"}) {
    const auto result = printed(text);
    EXPECT_FALSE(result.output.has_value()) << text;
    EXPECT_EQ(result.display_stdout, text);
    EXPECT_EQ(result.stdout_data, text);
  }
}

TEST(StructuredOutput, ThatIsAbsentIsAFailureWithItsReason) {
  const auto left = printed("1\noops\n");
  EXPECT_EQ(left.status, ExecutionStatus::Failed);
  EXPECT_EQ(left.exit_code, 0);
  ASSERT_EQ(left.notes.size(), 1U);
  EXPECT_TRUE(left.notes[0].contains("ended before it returned one")) << left.notes[0];
  ExecutionResult cut;
  cut.status = ExecutionStatus::Success;
  cut.stdout_data = "[1, 2";
  cut.stdout_truncated = true;
  take_structured_output(cut);
  EXPECT_EQ(cut.status, ExecutionStatus::Failed);
  EXPECT_TRUE(cut.notes.at(0).contains("was cut")) << cut.notes[0];
  EXPECT_TRUE(printed("1\n", ExecutionStatus::Failed).notes.empty());
}

TEST(StructuredOutput, IsAbsentAfterAFailure) {
  const auto result = printed("1\n", ExecutionStatus::Failed);
  EXPECT_FALSE(result.output.has_value());
  EXPECT_EQ(result.display_stdout, "1\n");
}

TEST(StructuredOutput, TooDeepAnAnswerIsNoAnswer) {
  const auto result = printed(std::string(5000, '[') + std::string(5000, ']'));
  EXPECT_FALSE(result.output.has_value());
  EXPECT_TRUE(result.notes.at(0).contains("nested too deeply")) << result.notes[0];
}

}  // namespace
}  // namespace cove
