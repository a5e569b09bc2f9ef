// Several programs of one reply, as an agent's loop runs them, and what it does when the
// infrastructure fails. The loop itself is the caller's.
#include "conformance/conformance_fixture.h"
#include "executor/with_retries.h"

namespace cove::conformance {
namespace {

TEST_P(Conformance, PartsOfOneReplyEachHaveTheirResult) {
  const auto first = run("print(1)");
  const auto second = run(request("exit 3", "sh"));
  EXPECT_EQ(outcome_of(first.status), Outcome::Ok) << describe(first);
  EXPECT_EQ(first.combined_output(), "1\n");
  EXPECT_EQ(outcome_of(second.status), Outcome::Failed) << describe(second);
  EXPECT_EQ(second.exit_code, 3);
  EXPECT_EQ(second.combined_output(), "");
}

// The backend behind it, whose infrastructure fails a number of times.
class Failing final : public CodeExecutor {
 public:
  Failing(CodeExecutor& inner, int failures) : inner_(inner), failures_(failures) {}

  using CodeExecutor::execute;
  std::string_view name() const override { return inner_.name(); }
  BackendCapabilities capabilities() const override { return inner_.capabilities(); }
  bool supports_language(std::string_view language) const override {
    return inner_.supports_language(language);
  }
  int error_retry_attempts() const override { return inner_.error_retry_attempts(); }
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override {
    ++attempts;
    if (attempts <= failures_) {
      return Err(Error(ErrorCode::BackendUnavailable, "failed time " + std::to_string(attempts)));
    }
    return inner_.execute(request, context);
  }

  int attempts = 0;

 private:
  CodeExecutor& inner_;
  int failures_;
};

TEST_P(Conformance, FailingInfrastructureIsTriedTwiceAndThenReported) {
  ASSERT_EQ(executor().error_retry_attempts(), 2);
  Failing twice(executor(), 2);
  const auto lost = with_retries(twice)->execute(request("print('ran')"));
  ASSERT_FALSE(lost);
  EXPECT_EQ(twice.attempts, 2);
  EXPECT_EQ(lost.error().message(), "failed time 2");

  Failing once(executor(), 1);
  const auto saved = with_retries(once)->execute(request("print('ran')"));
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(once.attempts, 2);
  EXPECT_EQ(saved->stdout_data, "ran\n");

  // What a program does is a result: it is never run a second time.
  Failing never(executor(), 0);
  const auto failed = with_retries(never)->execute(request("raise SystemExit(4)"));
  ASSERT_TRUE(failed) << failed.error().message();
  EXPECT_EQ(never.attempts, 1);
  EXPECT_EQ(failed->exit_code, 4);
}

// A model that never stops writing code is stopped by its loop, after 16 rounds say, not by the
// backend.
TEST_P(Conformance, SeventeenRoundsInARowAllRun) {
  for (int round = 1; round <= 17; ++round) {
    const std::string word = std::to_string(round);
    EXPECT_EQ(run("print(" + word + ")").stdout_data, word + "\n");
  }
}

}  // namespace
}  // namespace cove::conformance
