// Programs that are talked to while they run.
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "base/data_dir.h"
#include "executor/native/native_executor.h"

namespace cove {
namespace {

using std::chrono::seconds;

// Answers what the program shows, as a person at a keyboard would.
class Player final : public OutputSink {
 public:
  explicit Player(LiveInput& live) : live_(live) {}

  void when(std::string shown, std::function<void(LiveInput&)> act) {
    moves_.emplace_back(std::move(shown), std::move(act));
  }
  void on_stdout(std::string_view bytes) override {
    text += bytes;
    while (next_ < moves_.size() && text.contains(moves_[next_].first))
      moves_[next_++].second(live_);
  }
  void on_stderr(std::string_view bytes) override { on_stdout(bytes); }
  std::string text;

 private:
  LiveInput& live_;
  std::vector<std::pair<std::string, std::function<void(LiveInput&)>>> moves_;
  std::size_t next_ = 0;
};

class LiveRun : public ::testing::Test {
 protected:
  LiveRun() : player_(live_) {
    auto catalog = RuntimeCatalog::load(data_dir().value() + "/profiles");
    executor_ = NativeExecutor::create(std::move(catalog).value()).value();
  }

  ExecutionResult run(std::string code, std::optional<TerminalSize> terminal = std::nullopt) {
    ExecutionRequest request;
    request.language = "sh";
    request.code = std::move(code);
    request.timeout = seconds(20);
    ExecutionContext context{.cancel = {}, .sink = &player_, .live = &live_, .terminal = terminal};
    auto result = executor_->execute(request, context);
    EXPECT_TRUE(result.has_value()) << result.error().message();
    return result ? *result : ExecutionResult{};
  }

  LiveInput live_;
  Player player_;
  std::unique_ptr<NativeExecutor> executor_;
};

TEST_F(LiveRun, InputArrivesWhileTheProgramRuns) {
  player_.when("name?", [](LiveInput& live) { live.write("Ada\n"); });
  player_.when("hello Ada", [](LiveInput& live) { live.close(); });
  const auto result = run("echo name?; read name; echo hello $name; cat; echo end");
  EXPECT_EQ(result.stdout_data, "name?\nhello Ada\nend\n");
  EXPECT_TRUE(result.is_success());
}

TEST_F(LiveRun, WhatTheRequestHoldsComesFirst) {
  live_.write("second\n");
  live_.close();
  ExecutionRequest request;
  request.language = "sh";
  request.code = "cat";
  request.stdin_data = "first\n";
  ExecutionContext context;
  context.live = &live_;
  EXPECT_EQ(executor_->execute(request, context).value().stdout_data, "first\nsecond\n");
}

TEST_F(LiveRun, ASignalReachesTheMainProcess) {
  player_.when("ready", [](LiveInput& live) { live.send_signal(SIGUSR1); });
  const auto result =
      run("trap 'echo caught; exit 3' USR1; echo ready; while :; do sleep 0.05; done");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.stdout_data, "ready\ncaught\n");
}

TEST_F(LiveRun, ATerminalIsOneInEveryRespect) {
  player_.when("ready", [](LiveInput& live) { live.resize({40, 120}); });
  player_.when("40 120", [](LiveInput& live) { live.write("\x03"); });
  const auto result =
      run("test -t 0 && test -t 1 && test -t 2 && echo terminal; stty size\n"
          "trap 'stty size' WINCH; trap 'echo interrupted; exit 5' INT\n"
          "echo ready; while :; do sleep 0.05; done",
          TerminalSize{24, 80});
  EXPECT_TRUE(result.stdout_data.starts_with("terminal\r\n24 80\r\nready\r\n"))
      << result.stdout_data;
  EXPECT_TRUE(result.stdout_data.contains("interrupted")) << result.stdout_data;
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(result.stderr_data.empty());
}

TEST_F(LiveRun, TheEndOfInputReachesATerminalToo) {
  player_.when("ready", [](LiveInput& live) {
    live.write("one\n");
    live.close();
  });
  const auto result = run("echo ready; cat >/dev/null; echo over", TerminalSize{});
  EXPECT_TRUE(result.stdout_data.ends_with("over\r\n")) << result.stdout_data;
}

TEST_F(LiveRun, WhatTheProgramDoesNotReadIsBounded) {
  const std::string block(LiveInput::kMaxPending, 'x');
  EXPECT_TRUE(live_.write(block));
  EXPECT_FALSE(live_.write("y"));
  EXPECT_TRUE(run("exit 0").is_success());
}

}  // namespace
}  // namespace cove
