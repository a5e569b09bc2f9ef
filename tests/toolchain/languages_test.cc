// Every compiled language: what a program does, what a compiler says, what it must not see.
#include "toolchain/samples.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

class Compiled : public ::testing::TestWithParam<Sample> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam().language); !why.empty()) GTEST_SKIP() << why;
    executor_ = make_executor();
  }
  ExecutionResult run_code(const std::string& code) {
    return run(*executor_, request_of(GetParam().language, code));
  }
  static const Sample& sample() { return GetParam(); }
  // The first diagnostic of a level.
  static const Diagnostic* first(const ExecutionResult& result, std::string_view level) {
    for (const Diagnostic& diagnostic : result.diagnostics) {
      if (diagnostic.level == level) return &diagnostic;
    }
    return nullptr;
  }

  std::unique_ptr<CompilingExecutor> executor_;
};

TEST_P(Compiled, ArgumentsInputAndNamesThatAreNotAscii) {
  if (sample().echo.empty()) GTEST_SKIP() << "no such program";
  auto request = request_of(sample().language, sample().echo);
  request.args = {"wörd"};
  request.stdin_data = "líne\nrest\n";
  const auto result = run(*executor_, request);
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data, "é:wörd líne\n") << describe(result);
  ASSERT_TRUE(result.compile);
  EXPECT_EQ(result.compile->steps.back().name, "run");
  EXPECT_EQ(result.backend, "native");
}

TEST_P(Compiled, ExitCodesAndCrashesAreTheProgramsOwn) {
  const auto exited = run_code(sample().exit3);
  EXPECT_EQ(exited.status, ExecutionStatus::Failed);
  EXPECT_EQ(exited.exit_code, 3) << describe(exited);
  const auto crashed = run_code(sample().crash);
  EXPECT_EQ(crashed.status, ExecutionStatus::Failed) << describe(crashed);
  EXPECT_NE(crashed.stderr_data.find(sample().crash_says), std::string::npos) << describe(crashed);
}

TEST_P(Compiled, AnErrorHasItsPlaceAndHaltsEverything) {
  const auto result = run_code(sample().broken);
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_FALSE(result.exit_code);
  const Diagnostic* const error = first(result, "error");
  ASSERT_NE(error, nullptr) << describe(result);
  EXPECT_NE(error->message.find(sample().broken_says), std::string::npos) << error->message;
  ASSERT_FALSE(error->spans.empty());
  EXPECT_EQ(error->spans[0].file_name, sample().broken_file);
  EXPECT_EQ(error->spans[0].line_start, sample().broken_line);
  EXPECT_EQ(error->spans[0].column_start, sample().broken_column);
  ASSERT_FALSE(error->spans[0].text.empty());
  EXPECT_EQ(error->spans[0].text[0].highlight_start, sample().broken_column);
  EXPECT_FALSE(result.compile->output.empty());
  for (const StepReport& step : result.compile->steps) EXPECT_NE(step.name, "run");
  EXPECT_NE(result.diagnostics_text.value_or("").find("^"), std::string::npos);
  EXPECT_NE(result.stderr_data.find(sample().broken_says), std::string::npos);
}

TEST_P(Compiled, AWarningIsKeptOnSuccessAlsoOfAKeptBuild) {
  if (sample().warned.empty()) GTEST_SKIP() << "this compiler has no warnings";
  for (int i = 0; i < 2; ++i) {
    const auto result = run_code(sample().warned);
    EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
    EXPECT_TRUE(result.stdout_data.starts_with("ok")) << describe(result);
    const Diagnostic* const warning = first(result, "warning");
    ASSERT_NE(warning, nullptr) << describe(result);
    EXPECT_NE(result.diagnostics_text->find(sample().warned_says), std::string::npos)
        << *result.diagnostics_text;
    if (i == 1) {
      EXPECT_TRUE(result.compile->cached);
    }
  }
}

TEST_P(Compiled, WhatDoesNotCompileIsNotTriedAgain) {
  const std::string code = unheard_of(sample().broken, sample().comment);
  const auto first_try = run_code(code);
  EXPECT_FALSE(first_try.compile->cached);
  const auto second = run_code(code);
  EXPECT_TRUE(second.compile->cached);
  EXPECT_TRUE(second.compile->steps.empty());
  EXPECT_EQ(second.status, ExecutionStatus::CompileFailed);
  EXPECT_EQ(second.stderr_data, first_try.stderr_data);
  EXPECT_EQ(second.diagnostics_text, first_try.diagnostics_text);
  EXPECT_EQ(second.backend, first_try.backend);
  EXPECT_EQ(second.isolation, first_try.isolation);
  EXPECT_EQ(second.compile->output, first_try.compile->output);
}

TEST_P(Compiled, AnUnchangedProgramIsNotCompiledAgain) {
  const std::string code = unheard_of(sample().exit3, sample().comment);
  const auto first_run = run_code(code);
  EXPECT_FALSE(first_run.compile->cached) << describe(first_run);
  EXPECT_GE(first_run.compile->steps.size(), 2U);
  const auto second = run_code(code);
  EXPECT_TRUE(second.compile->cached);
  ASSERT_EQ(second.compile->steps.size(), 1U);
  EXPECT_EQ(second.compile->steps[0].name, "run");
  EXPECT_EQ(second.exit_code, 3);
}

TEST_P(Compiled, FilesOfTheHostAreNotThere) {
  if (sample().host_file.empty())
    GTEST_SKIP() << "this compiler reads no file that a program names";
  const auto result = run_code(sample().host_file);
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_NE(result.compile->output.find(sample().host_file_says), std::string::npos)
      << describe(result);
  EXPECT_EQ(result.compile->output.find("root:"), std::string::npos);
}

TEST_P(Compiled, RecursionWithoutEndIsBounded) {
  const auto result = run_code(sample().endless);
  EXPECT_NE(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_LE(result.diagnostics_text.value_or("").size(), 64U << 10U);
}

TEST_P(Compiled, ALargeProgram) {
  if (sample().large == nullptr) GTEST_SKIP() << "no such program";
  const auto result = run_code(sample().large(5000));
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data, "5000\n");
}

INSTANTIATE_TEST_SUITE_P(Of, Compiled, ::testing::ValuesIn(samples()),
                         [](const auto& sample) { return sample.param.language; });

}  // namespace
}  // namespace cove::toolchain
