#include "cli/exit_code.h"

#include <signal.h>

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ExitCode, IsTheProgramsOwn) {
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  result.exit_code = 3;
  EXPECT_EQ(exit_code_of(result), 3);
  result.status = ExecutionStatus::Success;
  EXPECT_EQ(exit_code_of(result), 0);
}

TEST(ExitCode, OfAFailureIsNeverZero) {
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  result.exit_code = 0;
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST(ExitCode, TellsTheWaysOfBeingStoppedApart) {
  ExecutionResult result;
  result.status = ExecutionStatus::Timeout;
  EXPECT_EQ(exit_code_of(result), 124);
  result.status = ExecutionStatus::Oom;
  result.exit_code = 0;  // the main process may have ended well after a child was killed
  EXPECT_EQ(exit_code_of(result), 137);
  result.status = ExecutionStatus::Cancelled;
  EXPECT_EQ(exit_code_of(result), 130);
  result.status = ExecutionStatus::Rejected;
  EXPECT_EQ(exit_code_of(result), 125);
}

TEST(ExitCode, ASignalIs128AndItsNumber) {
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  result.signal = "SIGSEGV";
  EXPECT_EQ(exit_code_of(result), 139);
  result.signal = "SIGRTMIN+1";
  EXPECT_EQ(exit_code_of(result), 128 + SIGRTMIN + 1);
}

TEST(ExitCode, WhatHasOnlyAStatusFailsInItsOwnWay) {
  EXPECT_EQ(exit_code_of(ExecutionStatus::Success, 1), 0);
  EXPECT_EQ(exit_code_of(ExecutionStatus::Failed, 1), 1);
  EXPECT_EQ(exit_code_of(ExecutionStatus::Timeout, 1), 124);
  EXPECT_EQ(exit_code_of(ExecutionStatus::Cancelled, 1), 130);
  ExecutionResult result;
  result.status = ExecutionStatus::CompileFailed;
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST(ExitCode, AnOutcomeThatNobodyKnowsIsAFailureOfCove) {
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  EXPECT_EQ(exit_code_of(result), 125);
  EXPECT_FALSE(signal_number("SIGNONSENSE").has_value());
}

}  // namespace
}  // namespace cove
