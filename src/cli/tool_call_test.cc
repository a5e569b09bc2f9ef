#include "cli/tool_call.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ToolExitCode, IsThatOfARun) {
  EXPECT_EQ(exit_code_of_answer({{"status", "success"}, {"exit_code", 0}}), 0);
  EXPECT_EQ(exit_code_of_answer({{"status", "success"}, {"exit_code", 7}}), 7);
  EXPECT_EQ(exit_code_of_answer({{"status", "success"}, {"exit_code", -1}, {"signal", "SIGSEGV"}}),
            139);
  EXPECT_EQ(exit_code_of_answer({{"status", "compile_error"}}), 1);
  EXPECT_EQ(exit_code_of_answer({{"status", "timeout"}}), 124);
  EXPECT_EQ(exit_code_of_answer({{"status", "memory_exceeded"}}), 137);
  EXPECT_EQ(exit_code_of_answer({{"status", "error"}}), 125);
  EXPECT_EQ(exit_code_of_answer({{"status", "error"}, {"exit_code", 0}}), 1);
}

TEST(ToolExitCode, OfAStrangeAnswerIsARefusal) {
  EXPECT_EQ(exit_code_of_answer({}), 125);
  EXPECT_EQ(exit_code_of_answer({{"status", 1}}), 125);
  EXPECT_EQ(exit_code_of_answer({{"status", "success"}}), 125);
  EXPECT_EQ(exit_code_of_answer({{"status", "success"}, {"exit_code", 4096}}), 125);
}

}  // namespace
}  // namespace cove
