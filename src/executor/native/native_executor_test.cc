#include "executor/native/native_executor.h"

#include <algorithm>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "base/data_dir.h"
#include "executor/with_retries.h"

namespace cove {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RuntimeCatalog catalog() {
  const auto data = data_dir();
  EXPECT_TRUE(data.has_value()) << data.error().message();
  auto loaded = RuntimeCatalog::load(*data + "/profiles");
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message();
  return std::move(*loaded);
}

std::unique_ptr<NativeExecutor> make(NativeOptions options = {}) {
  auto executor = NativeExecutor::create(catalog(), std::move(options));
  EXPECT_TRUE(executor.has_value()) << executor.error().message();
  return std::move(*executor);
}

// Small programs for /bin/sh: it starts in a millisecond, also under a sanitizer.
ExecutionRequest shell(std::string code) {
  ExecutionRequest request;
  request.language = "sh";
  request.code = std::move(code);
  request.timeout = seconds(20);
  return request;
}

bool hit(const ExecutionResult& result, LimitHit limit) {
  return std::ranges::find(result.limits_hit, limit) != result.limits_hit.end();
}

class StringSink final : public OutputSink {
 public:
  void on_stdout(std::string_view bytes) override { text += bytes; }
  void on_stderr(std::string_view bytes) override { text += bytes; }
  std::string text;
};

class NativeExecutorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { executor = make(); }
  static void TearDownTestSuite() { executor.reset(); }
  static ExecutionResult run(const ExecutionRequest& request,
                             const ExecutionContext& context = {}) {
    auto result = executor->execute(request, context);
    if (!result) {
      ADD_FAILURE() << result.error().message();
      return {};
    }
    return std::move(*result);
  }
  static std::optional<ErrorCode> refusal(const ExecutionRequest& request) {
    const auto result = executor->execute(request);
    return result ? std::nullopt : std::optional(result.error().code());
  }
  static inline std::unique_ptr<NativeExecutor> executor;
};

TEST_F(NativeExecutorTest, AProgramRunsWithInputArgumentsAndEnvironment) {
  auto request = shell("read line; echo \"$line $1 $MARK\"; echo problem >&2");
  request.stdin_data = "input\n";
  request.args = {"argument"};
  request.env = {{"MARK", "value"}};
  const auto result = run(request);
  EXPECT_EQ(result.status, ExecutionStatus::Success);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.stdout_data, "input argument value\n");
  EXPECT_EQ(result.stderr_data, "problem\n");
  EXPECT_EQ(result.backend, "native");
  EXPECT_EQ(result.isolation, "namespaces");
  EXPECT_FALSE(result.warm);
  EXPECT_FALSE(result.execution_id.empty());
  EXPECT_GT(result.duration.count(), 0);
  EXPECT_GT(result.setup.value_or(std::chrono::microseconds(0)).count(), 0);
  EXPECT_LE(result.setup, result.duration);
}

TEST_F(NativeExecutorTest, ItsExitCodeAndSignalComeFromTheKernel) {
  const auto failed = run(shell("exit 7"));
  EXPECT_EQ(failed.status, ExecutionStatus::Failed);
  EXPECT_EQ(failed.exit_code, 7);
  const auto killed = run(shell("kill -SEGV $$"));
  EXPECT_EQ(killed.status, ExecutionStatus::Failed);
  EXPECT_EQ(killed.signal, "SIGSEGV");
  EXPECT_EQ(killed.exit_code, std::nullopt);
}

TEST_F(NativeExecutorTest, ATimeoutKeepsWhatWasWrittenAndEndsTheWholeTree) {
  auto request = shell("echo before; sleep 100 & sleep 100");
  request.timeout = milliseconds(300);
  const auto started = std::chrono::steady_clock::now();
  const auto result = run(request);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_EQ(result.stdout_data, "before\n");
  EXPECT_TRUE(result.killed);
  EXPECT_EQ(result.exit_code, std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(10));
}

TEST_F(NativeExecutorTest, FilesGoInAndComeOut) {
  auto request = shell("cat in/a.txt; mkdir out; printf made > out/b.txt; printf x >> in/a.txt");
  request.files = {{"in/a.txt", "given\n", {}}, {"unused", "same", {}}};
  request.collect_file_contents = true;
  const auto result = run(request);
  EXPECT_EQ(result.stdout_data, "given\n");
  ASSERT_EQ(result.output_files.size(), 2U);
  EXPECT_EQ(result.output_files[0].name, "in/a.txt");
  EXPECT_EQ(result.output_files[0].content, "given\nx");
  EXPECT_EQ(result.output_files[1].name, "out/b.txt");
  EXPECT_EQ(result.output_files[1].content, "made");
}

TEST_F(NativeExecutorTest, ACancelledRunEndsSoonAndSaysSo) {
  std::stop_source stop;
  std::jthread later([&stop] {
    std::this_thread::sleep_for(milliseconds(200));
    stop.request_stop();
  });
  const auto result =
      run(shell("echo on; sleep 100"), {.cancel = stop.get_token(), .sink = nullptr});
  EXPECT_EQ(result.status, ExecutionStatus::Cancelled);
  EXPECT_TRUE(result.killed);
  EXPECT_EQ(result.stdout_data, "on\n");
}

TEST_F(NativeExecutorTest, OutputStreamsToTheSinkAndIsCapped) {
  StringSink sink;
  auto request = shell("for i in 1 2 3 4 5 6 7 8 9; do echo 0123456789; done");
  request.limits.stdout_bytes = Bytes{20};
  const auto result = run(request, {.cancel = {}, .sink = &sink});
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_TRUE(hit(result, LimitHit::Output));
  EXPECT_EQ(sink.text.substr(0, 11), "0123456789\n");
  EXPECT_LE(sink.text.size(), 20U);
}

TEST_F(NativeExecutorTest, TooMuchMemoryIsToldApartFromAFailure) {
  if (executor->capabilities().memory != LimitReach::Tree) {
    GTEST_SKIP() << "without a control group an allocation fails instead";
  }
  auto request = shell("x=0123456789abcdef; while :; do x=$x$x; done");
  request.limits.memory = Bytes::mib(24);
  const auto result = run(request);
  EXPECT_EQ(result.status, ExecutionStatus::Oom);
  EXPECT_TRUE(result.oom);
  EXPECT_TRUE(hit(result, LimitHit::Memory));
}

TEST_F(NativeExecutorTest, AFullDiskIsALimitThatWasHit) {
  auto request = shell("head -c 3000000 /dev/zero > big");
  request.limits.disk = Bytes::mib(1);
  const auto result = run(request);
  EXPECT_NE(result.status, ExecutionStatus::Success);
  EXPECT_TRUE(hit(result, LimitHit::Disk));
}

TEST_F(NativeExecutorTest, TheGuestSeesAWorldOfItsOwn) {
  const auto result =
      run(shell("pwd; hostname 2>/dev/null || cat /proc/sys/kernel/hostname; id -u; "
                "touch /usr/x 2>/dev/null || echo read-only"));
  EXPECT_EQ(result.stdout_data, "/workspace\nsandbox\n65534\nread-only\n");
}

TEST_F(NativeExecutorTest, WhatWillBeDoneCanBeReadBeforehand) {
  const auto text = executor->explain(shell("true"));
  ASSERT_TRUE(text.has_value()) << text.error().message();
  for (const char* step :
       {"unshare", "pivot root", "no new privs", "drop caps", "seccomp", "exec"}) {
    EXPECT_NE(text->find(step), std::string::npos) << step;
  }
}

TEST_F(NativeExecutorTest, WhatItCannotDoIsRefusedBeforeAnythingRuns) {
  auto request = shell("true");
  request.language = "klingon";
  EXPECT_FALSE(executor->supports_language("klingon"));
  EXPECT_EQ(refusal(request), ErrorCode::UnsupportedLanguage);
  EXPECT_FALSE(executor->explain(request).has_value());

  request = shell("true");
  request.policy.filesystem.kind = FilesystemPolicy::Kind::WorkspaceReadOnly;
  request.policy.filesystem.root = "/proc/self/nonexistent";
  EXPECT_EQ(refusal(request), ErrorCode::UnsupportedPolicy);

  request = shell("true");
  request.input = json::value(1);
  EXPECT_EQ(refusal(request), ErrorCode::InvalidRequest);
}

TEST_F(NativeExecutorTest, AHarnessCallsRunWithTheInput) {
  ExecutionRequest request;
  request.code = "def run(input):\n    print('seen')\n    return {'sum': sum(input)}\n";
  request.input = json::parse("[1, 2, 3]");
  request.timeout = seconds(20);
  const auto result = run(request);
  EXPECT_EQ(result.status, ExecutionStatus::Success) << result.stderr_data;
  ASSERT_TRUE(result.output.has_value()) << result.stdout_data;
  EXPECT_EQ(json::serialize(*result.output), R"({"sum":6})");
  EXPECT_EQ(result.display_stdout, "seen\n");
}

TEST_F(NativeExecutorTest, WithoutAValueThereIsNoOutput) {
  for (const char* code :
       {"print(1)", "print(1)\nraise SystemExit", "def run(input):\n    print(1)\n    exit(0)",
        "def run(input):\n    print(1)\n    raise ValueError"}) {
    ExecutionRequest request;
    request.code = code;
    request.input = json::value(1);
    request.timeout = seconds(20);
    const auto result = run(request);
    EXPECT_EQ(result.status, ExecutionStatus::Failed) << code;
    EXPECT_FALSE(result.output.has_value()) << code;
    EXPECT_EQ(result.display_stdout, "1\n") << code;
    EXPECT_NE(result.stderr_data, "") << code;
  }
}

TEST_F(NativeExecutorTest, AFailedProgramIsNotTriedAgain) {
  const auto retrying = with_retries(*executor);
  const auto result = retrying->execute(shell("echo once; exit 3"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->stdout_data, "once\n");
}

TEST_F(NativeExecutorTest, ManyCallersAtOnceGetTheirOwnAnswers) {
  std::vector<std::jthread> callers;
  callers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([i] {
      const auto result = executor->execute(shell("echo " + std::to_string(i)));
      ASSERT_TRUE(result.has_value()) << result.error().message();
      EXPECT_EQ(result->stdout_data, std::to_string(i) + "\n");
    });
  }
}

TEST(NativeExecutor, AnUnknownIsolationIsRefused) {
  const auto executor = NativeExecutor::create(catalog(), {.isolation = "magic", .pool = {}});
  ASSERT_FALSE(executor.has_value());
  EXPECT_EQ(executor.error().code(), ErrorCode::InvalidRequest);
}

TEST(NativeExecutor, TheLandlockLevelRunsProgramsInAPrivateDirectory) {
  const auto executor = NativeExecutor::create(catalog(), {.isolation = "landlock", .pool = {}});
  if (!executor) GTEST_SKIP() << executor.error().message();
  auto request = shell("cat a; echo made > b; cat /etc/shadow 2>/dev/null || echo hidden");
  request.files = {{"a", "given\n", {}}};
  const auto result = (*executor)->execute(request);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_EQ(result->stdout_data, "given\nhidden\n");
  EXPECT_EQ(result->isolation, "landlock");
  ASSERT_EQ(result->output_files.size(), 1U);
  EXPECT_EQ(result->output_files[0].name, "b");
}

class WarmExecutor : public ::testing::TestWithParam<const char*> {
 protected:
  static NativeOptions one(const char* language) {
    NativeOptions options;
    options.pool = {.size = 1, .languages = {language}};
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, WarmExecutor, ::testing::Values("python", "sh"));

TEST_P(WarmExecutor, AWaitingGuestServesOneRunAndIsCounted) {
  const auto executor = make(one(GetParam()));
  ASSERT_TRUE(executor->start().has_value());
  ASSERT_TRUE(executor->wait_until_warm(seconds(20)));
  ExecutionRequest request;
  request.language = GetParam();
  request.timeout = seconds(20);
  request.code = std::string_view(GetParam()) == "sh"
                     ? "ls; echo $MARK; touch left"
                     : "import os\nprint(os.listdir('.'), os.environ['MARK'])\nopen('left', 'w')\n";
  request.env = {{"MARK", "m"}};
  std::string first;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(executor->wait_until_warm(seconds(20)));
    const auto result = executor->execute(request);
    ASSERT_TRUE(result.has_value()) << result.error().message();
    EXPECT_EQ(result->status, ExecutionStatus::Success) << result->stderr_data;
    EXPECT_TRUE(result->warm);
    if (i == 0) first = result->stdout_data;
    EXPECT_EQ(result->stdout_data, first) << "the second guest sees nothing of the first";
  }
  const auto report = executor->pool_report();
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0].language, GetParam());
  EXPECT_EQ(report[0].hits, 2U);
  EXPECT_EQ(report[0].misses, 0U);
  EXPECT_GE(report[0].started, 2U);
  EXPECT_EQ(report[0].last_error, "");
  ASSERT_TRUE(executor->stop().has_value());
  EXPECT_TRUE(executor->waiting_processes().empty());
  const auto cold = executor->execute(request);
  ASSERT_TRUE(cold.has_value());
  EXPECT_FALSE(cold->warm) << "without a pool every run is cold";
}

TEST(WarmPoolReport, ALanguageThatIsNotThereIsAnErrorOfStart) {
  NativeOptions options;
  options.pool = {.size = 1, .languages = {"klingon"}};
  const auto started = make(options)->start();
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code(), ErrorCode::UnsupportedLanguage);
}

}  // namespace
}  // namespace cove
