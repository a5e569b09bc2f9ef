#include "executor/with_retries.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

// Fails as told, then succeeds.
class FlakyExecutor final : public CodeExecutor {
 public:
  explicit FlakyExecutor(std::vector<ErrorCode> failures, int attempts = 2)
      : failures_(std::move(failures)), attempts_(attempts) {}

  using CodeExecutor::execute;
  std::string_view name() const override { return "flaky"; }
  BackendCapabilities capabilities() const override { return {}; }
  bool supports_language(std::string_view language) const override { return language == "python"; }
  int error_retry_attempts() const override { return attempts_; }
  Result<ExecutionResult> execute(const ExecutionRequest& /*request*/,
                                  const ExecutionContext& context) override {
    const std::size_t call = calls++;
    if (cancel_after_call != nullptr) cancel_after_call->request_stop();
    if (compiles && context.sink != nullptr) (void)context.sink->on_diagnostics({Diagnostic()});
    if (writes && context.sink != nullptr) context.sink->on_stdout("x");
    if (notices && context.sink != nullptr) context.sink->on_notice("slow");
    if (call < failures_.size()) {
      return Err(Error(failures_[call], "failure " + std::to_string(call)));
    }
    ExecutionResult result;
    result.status = status;
    return result;
  }
  Result<> start() override {
    log += "start ";
    return {};
  }
  Result<> stop() override {
    log += "stop ";
    if (stop_fails) return Err(Error(ErrorCode::Internal, "cannot stop"));
    return {};
  }

  std::size_t calls = 0;
  bool writes = false;
  bool compiles = false;
  bool notices = false;
  bool stop_fails = false;
  ExecutionStatus status = ExecutionStatus::Success;
  std::stop_source* cancel_after_call = nullptr;
  std::string log;

 private:
  std::vector<ErrorCode> failures_;
  int attempts_;
};

class StringSink final : public OutputSink {
 public:
  void on_stdout(std::string_view bytes) override { text += bytes; }
  void on_stderr(std::string_view bytes) override { text += bytes; }
  bool on_diagnostics(const std::vector<Diagnostic>& diagnostics) override {
    text += std::string(diagnostics.size(), 'd');
    return true;
  }
  void on_notice(std::string_view message) override { text += message; }
  std::string text;
};

TEST(WithRetries, AFailureOfTheInfrastructureIsTriedAgain) {
  FlakyExecutor flaky({ErrorCode::BackendUnavailable});
  EXPECT_TRUE(with_retries(flaky)->execute({}));
  EXPECT_EQ(flaky.calls, 2U);
}

TEST(WithRetries, AttemptsAreATotalAndTheLastErrorIsTold) {
  FlakyExecutor flaky({ErrorCode::Sandbox, ErrorCode::Internal, ErrorCode::Internal});
  const auto result = with_retries(flaky)->execute({});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "failure 1");
  EXPECT_EQ(flaky.calls, 2U);
}

TEST(WithRetries, ThereIsAlwaysOneAttempt) {
  for (const int attempts : {1, 0, -3}) {
    FlakyExecutor flaky({ErrorCode::Internal}, attempts);
    EXPECT_FALSE(with_retries(flaky)->execute({}));
    EXPECT_EQ(flaky.calls, 1U);
  }
}

TEST(WithRetries, ARefusalIsFinal) {
  for (const ErrorCode code :
       {ErrorCode::UnsupportedPolicy, ErrorCode::UnsupportedLanguage, ErrorCode::InvalidRequest,
        ErrorCode::InvalidCode, ErrorCode::Rejected, ErrorCode::CompileFailed, ErrorCode::Timeout,
        ErrorCode::DependencyNotFound}) {
    FlakyExecutor flaky({code}, 5);
    EXPECT_FALSE(with_retries(flaky)->execute({}));
    EXPECT_EQ(flaky.calls, 1U) << error_code_name(code);
  }
}

TEST(WithRetries, AResultIsNeverRetriedWhateverItsStatus) {
  for (const ExecutionStatus status :
       {ExecutionStatus::Failed, ExecutionStatus::Timeout, ExecutionStatus::Oom}) {
    FlakyExecutor flaky({}, 5);
    flaky.status = status;
    EXPECT_EQ(with_retries(flaky)->execute({})->status, status);
    EXPECT_EQ(flaky.calls, 1U);
  }
}

TEST(WithRetries, ACancelledRequestIsNotTriedAgain) {
  std::stop_source stop;
  FlakyExecutor flaky({ErrorCode::Internal}, 5);
  flaky.cancel_after_call = &stop;
  EXPECT_FALSE(with_retries(flaky)->execute({}, {.cancel = stop.get_token(), .sink = nullptr}));
  EXPECT_EQ(flaky.calls, 1U);
}

TEST(WithRetries, OutputIsNeverSeenTwice) {
  FlakyExecutor flaky({ErrorCode::Internal}, 5);
  flaky.writes = true;
  StringSink sink;
  EXPECT_FALSE(with_retries(flaky)->execute({}, {.cancel = {}, .sink = &sink}));
  EXPECT_EQ(sink.text, "x");
}

TEST(WithRetries, WhatACompilerSaidPassesAndIsNotSeenTwice) {
  FlakyExecutor flaky({ErrorCode::Internal}, 5);
  flaky.compiles = true;
  StringSink sink;
  EXPECT_FALSE(with_retries(flaky)->execute({}, {.cancel = {}, .sink = &sink}));
  EXPECT_EQ(sink.text, "d");
}

TEST(WithRetries, ANoticeIsNoOutput) {
  FlakyExecutor flaky({ErrorCode::BackendUnavailable});
  flaky.notices = true;
  StringSink sink;
  EXPECT_TRUE(with_retries(flaky)->execute({}, {{}, &sink}));
  EXPECT_EQ(sink.text, "slowslow");
}

TEST(WithRetries, IsOtherwiseTheSameExecutor) {
  auto owned = std::make_unique<FlakyExecutor>(std::vector<ErrorCode>{}, 7);
  FlakyExecutor& flaky = *owned;
  const auto executor = with_retries(std::unique_ptr<CodeExecutor>(std::move(owned)));
  EXPECT_EQ(executor->name(), "flaky");
  EXPECT_TRUE(executor->supports_language("python"));
  EXPECT_EQ(executor->error_retry_attempts(), 7);
  EXPECT_TRUE(executor->restart());
  EXPECT_EQ(flaky.log, "stop start ");
  flaky.stop_fails = true;
  EXPECT_FALSE(executor->restart());
  EXPECT_EQ(flaky.log, "stop start stop ");
}

}  // namespace
}  // namespace cove
