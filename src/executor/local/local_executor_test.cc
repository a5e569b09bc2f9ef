#include "executor/local/local_executor.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/data_dir.h"
#include "policy/presets.h"

namespace cove {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

class LocalExecutorTest : public ::testing::Test {
 protected:
  static LocalExecutor make(LocalOptions options = {}) {
    const auto directory = data_dir();
    EXPECT_TRUE(directory.has_value()) << directory.error().message();
    auto catalog = RuntimeCatalog::load(*directory + "/profiles");
    EXPECT_TRUE(catalog.has_value()) << catalog.error().message();
    return LocalExecutor(std::move(*catalog), std::move(options));
  }
  static ExecutionRequest trusted(std::string language, std::string code) {
    ExecutionRequest request;
    request.language = std::move(language);
    request.code = std::move(code);
    request.policy = PresetCatalog().find("host_local").value();
    return request;
  }
  static std::size_t scratch_directories() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
      if (entry.path().filename().string().starts_with("cove-local-")) ++count;
    }
    return count;
  }
  // A process that is gone, or dead and not yet reaped by init.
  static bool is_dead(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(stat, text)) return true;
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && text.substr(end + 2, 1) == "Z";
  }
};

TEST_F(LocalExecutorTest, RunsAProgramWithStdinArgumentsEnvironmentAndFiles) {
  auto executor = make();
  auto request =
      trusted("sh", "cat; echo \"$1 $MARK\"; cat in/a.txt; echo made > out.txt; echo e >&2");
  request.stdin_data = "input\n";
  request.args = {"argument"};
  request.env = {{"MARK", "value"}};
  request.files = {{"in/a.txt", "content\n", {}}};
  request.collect_file_contents = true;
  const auto result = executor.execute(request);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Success);
  EXPECT_EQ(result->stdout_data, "input\nargument value\ncontent\n");
  EXPECT_EQ(result->stderr_data, "e\n");
  EXPECT_EQ(result->isolation, "none");
  ASSERT_EQ(result->output_files.size(), 1U);
  EXPECT_EQ(result->output_files[0].name, "out.txt");
  EXPECT_EQ(result->output_files[0].content, "made\n");
  EXPECT_EQ(scratch_directories(), 0U);
}

TEST_F(LocalExecutorTest, ExitCodesAndSignalsAreResults) {
  auto executor = make();
  const auto failed = executor.execute(trusted("sh", "exit 7"));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->status, ExecutionStatus::Failed);
  EXPECT_EQ(failed->exit_code, 7);
  const auto killed = executor.execute(trusted("sh", "kill -SEGV $$"));
  ASSERT_TRUE(killed.has_value());
  EXPECT_EQ(killed->signal, "SIGSEGV");
  EXPECT_FALSE(killed->exit_code.has_value());
}

TEST_F(LocalExecutorTest, APolicyThatAsksForIsolationIsRefusedBeforeAnythingRuns) {
  auto executor = make();
  const fs::path witness = fs::temp_directory_path() / "cove-local-test-witness";
  fs::remove(witness);
  ExecutionRequest request;
  request.language = "sh";
  request.code = "touch " + witness.string();
  const auto result = executor.execute(request);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy);
  EXPECT_FALSE(fs::exists(witness));
}

TEST_F(LocalExecutorTest, ATimeoutKeepsTheOutputAndEndsDaemonsToo) {
  auto executor = make();
  auto request = trusted("python", R"(
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
    os._exit(0)
time.sleep(60)
)");
  request.timeout = milliseconds(800);
  const auto result = executor.execute(request);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Timeout);
  EXPECT_FALSE(result->exit_code.has_value());
  EXPECT_LT(result->duration, milliseconds(1500));
  EXPECT_GT(result->setup.value_or(std::chrono::microseconds(0)).count(), 0);
  const pid_t daemon = std::stoi(result->stdout_data);
  EXPECT_TRUE(is_dead(daemon));
}

TEST_F(LocalExecutorTest, ADaemonDoesNotOutliveAProgramThatEnds) {
  auto executor = make();
  const auto result = executor.execute(trusted("sh", "setsid sleep 60 & echo $!; exit 0"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->status, ExecutionStatus::Success);
  EXPECT_LT(result->duration, std::chrono::seconds(5));
  EXPECT_TRUE(is_dead(std::stoi(result->stdout_data)));
}

TEST_F(LocalExecutorTest, CancellingEndsTheRun) {
  auto executor = make();
  std::stop_source source;
  std::jthread canceller([&source] {
    std::this_thread::sleep_for(milliseconds(200));
    source.request_stop();
  });
  const auto result =
      executor.execute(trusted("sh", "echo started; sleep 60"), {source.get_token(), nullptr});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->status, ExecutionStatus::Cancelled);
  EXPECT_EQ(result->stdout_data, "started\n");
}

TEST_F(LocalExecutorTest, OutputPastTheCapIsDrained) {
  auto executor = make();
  auto request = trusted("sh", "head -c 5000000 /dev/zero | tr '\\0' x; echo done >&2");
  request.limits.stdout_bytes = Bytes{1000};
  const auto result = executor.execute(request);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->stdout_data.size(), 1000U);
  EXPECT_TRUE(result->stdout_truncated);
  EXPECT_EQ(result->stderr_data, "done\n");
}

TEST_F(LocalExecutorTest, AProgramThatDoesNotReadItsStdinEndsNormally) {
  auto executor = make();
  auto request = trusted("sh", "exec 0<&-; echo ok");
  request.stdin_data = std::string(2'000'000, 'x');
  const auto result = executor.execute(request);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->status, ExecutionStatus::Success);
  EXPECT_EQ(result->stdout_data, "ok\n");
}

TEST_F(LocalExecutorTest, InterpreterArgumentsAndTimeoutCanBeSet) {
  auto executor = make({.interpreter = "/bin/sh",
                        .arguments = std::vector<std::string>{"-e"},
                        .timeout = milliseconds(300)});
  const auto stopped = executor.execute(trusted("python", "false; echo not reached"));
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->exit_code, 1);
  EXPECT_EQ(stopped->stdout_data, "");
  const auto late = executor.execute(trusted("python", "sleep 5"));
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->status, ExecutionStatus::Timeout);
}

TEST_F(LocalExecutorTest, AnInterpreterThatIsMissingIsAnErrorThatNamesIt) {
  auto executor = make({.interpreter = "/nowhere/python", .arguments = {}, .timeout = {}});
  const auto result = executor.execute(trusted("python", "print(1)"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), ErrorCode::BackendUnavailable);
  EXPECT_NE(result.error().message().find("/nowhere/python"), std::string::npos);
}

}  // namespace
}  // namespace cove
