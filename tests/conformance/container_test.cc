// What only containers can get wrong: what is left of them, images, and the engine's own exit
// codes.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "base/strings.h"
#include "conformance/conformance_fixture.h"
#include "conformance/engine_inventory.h"
#include "executor/container/container_executor.h"
#include "executor/container/owner_label.h"

namespace cove::conformance {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kImage = "cove-test/python";
constexpr const char* kReadyFile = "COVE_CONTAINER_READY";

class ContainerBackend : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<ContainerExecutor> make(ContainerOptions options = {}) {
    options.engine = GetParam();
    if (options.image.empty()) options.image = kImage;
    auto made = ContainerExecutor::create(host_catalog(), options);
    if (!made) {
      ADD_FAILURE() << made.error().message();
      std::abort();
    }
    return std::move(*made);
  }

  static std::string ask(const std::vector<std::string>& words) {
    return conformance::ask(GetParam(), words);
  }

  // All of them: the engine is ours alone.
  static std::string containers_left(milliseconds patience) {
    return conformance::containers_left(GetParam(), patience);
  }

  static ExecutionRequest program(std::string code) {
    ExecutionRequest request;
    request.code = std::move(code);
    request.timeout = seconds(30);
    return request;
  }
};

TEST_P(ContainerBackend, NothingIsLeftAfterAnyEnd) {
  const std::string before = inventory(GetParam());
  {
    const auto executor = make();
    ASSERT_TRUE(executor->execute(program("print(1)")));
    ExecutionRequest slow = program("import time\ntime.sleep(60)");
    slow.timeout = seconds(1);
    const auto late = executor->execute(slow);
    ASSERT_TRUE(late) << late.error().message();
    EXPECT_EQ(late->status, ExecutionStatus::Timeout);
    EXPECT_EQ(containers_left(milliseconds(0)), "");
    // Cancelled while the engine is still at it.
    std::stop_source stop;
    std::jthread canceller([&] {
      std::this_thread::sleep_for(milliseconds(60));
      stop.request_stop();
    });
    const auto gone = executor->execute(slow, {.cancel = stop.get_token()});
    ASSERT_TRUE(gone) << gone.error().message();
    EXPECT_EQ(gone->status, ExecutionStatus::Cancelled) << describe(*gone);
  }
  EXPECT_EQ(containers_left(seconds(5)), "");
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("cove-container-" + owner_label()))
        << entry.path();
  }
  EXPECT_EQ(inventory(GetParam()), before);
}

void hold_container(const std::string& engine, const std::string& ready) {
  struct ReadySink : OutputSink {
    std::string file;
    void on_stdout(std::string_view) override { std::ofstream(file) << "on"; }
    void on_stderr(std::string_view) override {}
  } sink;
  sink.file = ready;
  ContainerOptions options;
  options.engine = engine;
  options.image = kImage;
  auto executor = ContainerExecutor::create(host_catalog(), options);
  ASSERT_TRUE(executor) << executor.error().message();
  ExecutionRequest request;
  request.code = "import time\nprint('on', flush=True)\ntime.sleep(300)\n";
  request.timeout = seconds(300);
  (void)(*executor)->execute(request, {.cancel = {}, .sink = &sink});
}

TEST_P(ContainerBackend, KilledCoveLeavesNoContainer) {
  if (const char* ready = std::getenv(kReadyFile)) return hold_container(GetParam(), ready);
  const std::string ready =
      (fs::temp_directory_path() / fmt::format("container-ready-{}", ::getpid())).string();
  const std::string filter =
      fmt::format("--gtest_filter=*KilledCoveLeavesNoContainer/{}", GetParam());
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kReadyFile, ready.c_str(), 1);
    ::execl("/proc/self/exe", "conformance_tests", filter.c_str(), nullptr);
    ::_exit(127);
  }
  const auto deadline = Clock::now() + seconds(30);
  while (!fs::exists(ready) && Clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_TRUE(fs::exists(ready));
  EXPECT_NE(containers_left(milliseconds(0)), "");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  fs::remove(ready);
  EXPECT_EQ(containers_left(seconds(10)), "");
}

TEST_P(ContainerBackend, WhatADeadProcessLeftIsSweptByTheNext) {
  // The watchdog can be killed as well. Another start time stands for a process that has ended.
  const std::string label = fmt::format("cove.owner={}9", owner_label());
  ask({"run", "--detach", "--network=none", "--label", label, kImage, "sleep", "300"});
  ask({"run", "--detach", "--network=none", "--name", "cove-not-ours", kImage, "sleep", "300"});
  {
    const auto executor = make();
    ASSERT_TRUE(executor->execute(program("print(1)")));
    const auto deadline = Clock::now() + seconds(10);
    while (!trim(ask({"ps", "--all", "--quiet", "--filter", "label=" + label})).empty() &&
           Clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(100));
    }
  }
  EXPECT_EQ(ask({"ps", "--all", "--quiet", "--filter", "label=" + label}), "");
  EXPECT_NE(ask({"ps", "--quiet", "--filter", "name=cove-not-ours"}), "");
  ask({"rm", "--force", "cove-not-ours"});
}

TEST_P(ContainerBackend, AMissingImageIsReportedWithTheCommandThatGetsIt) {
  ContainerOptions options;
  options.image = "cove-test/no-such-image";
  const auto result = make(options)->execute(program("print(1)"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::DependencyNotFound);
  EXPECT_NE(result.error().message().find(GetParam() + " pull cove-test/no-such-image"),
            std::string::npos)
      << result.error().message();
}

TEST_P(ContainerBackend, AProgramThatTheImageHasNotIsNamed) {
  ExecutionRequest ruby = program("puts 1");
  ruby.language = "ruby";
  const auto result = make()->execute(ruby);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::DependencyNotFound) << result.error().message();
  EXPECT_NE(result.error().message().find("ruby"), std::string::npos) << result.error().message();
}

TEST_P(ContainerBackend, TheEnginesOwnExitCodesAreTheProgramsToo) {
  const auto executor = make();
  for (const int code : {125, 126, 127}) {
    const auto result = executor->execute(program(fmt::format("raise SystemExit({})", code)));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->exit_code, code);
  }
}

TEST_P(ContainerBackend, AKilledChildMakesTheRunOutOfMemory) {
  if (GetParam() == "podman") GTEST_SKIP() << "podman does not report it, and its notes say so";
  ExecutionRequest hungry = program(
      "import subprocess, sys\n"
      "subprocess.run([sys.executable, '-c', 'x = bytearray(300 << 20)'])\n"
      "print('survived')\n");
  hungry.limits.memory = Bytes::mib(64);
  const auto result = make()->execute(hungry);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Oom) << describe(*result);
  EXPECT_EQ(result->stdout_data, "survived\n");
}

// The engine's own time is not the program's.
TEST_P(ContainerBackend, TheTimeoutCountsFromTheStartOfTheContainer) {
  ExecutionRequest quick = program("import time\ntime.sleep(0.2)\nprint('done')");
  quick.timeout = milliseconds(900);
  const auto executor = make();
  for (int i = 0; i < 3; ++i) {
    const auto result = executor->execute(quick);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->stdout_data, "done\n") << describe(*result);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ContainerBackend, ::testing::Values("docker", "podman"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace cove::conformance
