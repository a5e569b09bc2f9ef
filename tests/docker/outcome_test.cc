// What programs come to: the same results as on every other backend.
#include <chrono>
#include <stop_token>
#include <thread>

#include "docker/docker_fixture.h"

namespace cove::docker_suite {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST_F(Docker, RunsAProgramAndKeepsItsOutputApart) {
  const auto result = run("import sys\nprint('out')\nprint('err', file=sys.stderr)");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.stdout_data, "out\n");
  EXPECT_EQ(result.stderr_data, "err\n");
  EXPECT_EQ(result.backend, "docker");
  EXPECT_EQ(result.isolation, "container");
  EXPECT_FALSE(result.killed);
  EXPECT_FALSE(result.usage.peak_memory) << "nobody measures it";
}

TEST_F(Docker, TheTimeThatAProgramUsedIsMeasured) {
  const auto result =
      run("import subprocess, sys, time\n"
          "end = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
          "subprocess.run([sys.executable, '-c', 'import time\\nwhile time.process_time() < 0.3: "
          "pass'])");
  ASSERT_TRUE(result.usage.cpu) << describe(result);
  EXPECT_GT(*result.usage.cpu, 550ms);
  EXPECT_LT(*result.usage.cpu, 3s);
  EXPECT_LE(result.setup, result.duration);
  auto endless = request("while True: pass");
  endless.timeout = 1s;
  EXPECT_FALSE(run(endless).usage.cpu) << "who would have measured it was ended, too";
}

TEST_F(Docker, ExitCodesAndSignalsAreResults) {
  auto result = run("import sys; sys.exit(3)");
  EXPECT_EQ(result.status, ExecutionStatus::Failed);
  EXPECT_EQ(result.exit_code, 3);
  result = run("import sys; sys.exit(255)");
  EXPECT_EQ(result.exit_code, 255);
  result = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(result.status, ExecutionStatus::Failed);
  EXPECT_EQ(result.signal, "SIGSEGV");
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(result.stderr_data, "") << "the shell must not remark on it";
  result = run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)");
  EXPECT_EQ(result.signal, "SIGKILL") << describe(result);
}

TEST_F(Docker, StdinArgumentsAndVariablesArrive) {
  auto asks =
      request("import sys, os\nprint(sys.stdin.read(), sys.argv[1:], os.environ['GREETING'])");
  asks.stdin_data = std::string("zwölf\0nul", 10);
  asks.args = {"a b", "", "$(id)", "--"};
  asks.env = {{"GREETING", "hi there"}};
  const auto result = run(asks);
  EXPECT_EQ(result.stdout_data,
            std::string("zwölf\0nul", 10) + " ['a b', '', '$(id)', '--'] hi there\n")
      << describe(result);
  EXPECT_EQ(run("import sys; print(repr(sys.stdin.read()))").stdout_data, "''\n");
}

TEST_F(Docker, VariablesArriveAsTheyAreWhateverTheirNames) {
  auto asks = request(
      "import os\nfor n in 'PATH', 'n', 'c', 'f', 'mark': print(os.environ[n])\n"
      "print('OLDPWD' in os.environ, os.environ['PWD'] == os.getcwd())\n"
      "print([k for k in os.environ if 'cove' in k.lower()])");
  asks.env = {{"PATH", "/nowhere"}, {"n", "1"}, {"c", "2"}, {"f", "3"}, {"mark", "4"}};
  const auto result = run(asks);
  EXPECT_EQ(result.stdout_data, "/nowhere\n1\n2\n3\n4\nFalse True\n[]\n") << describe(result);
}

TEST_F(Docker, LargeInputAndOutputFlowAtTheSameTime) {
  auto asks = request(
      "import sys\nwhile True:\n  b = sys.stdin.buffer.read(65536)\n  if not b: break\n"
      "  sys.stdout.buffer.write(b)");
  asks.stdin_data = std::string(8 << 20, 'x');
  asks.limits.stdout_bytes = Bytes::mib(16);
  const auto result = run(asks);
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data.size(), asks.stdin_data.size());
  auto unread = request("print('done')");
  unread.stdin_data = std::string(4 << 20, 'y');
  EXPECT_EQ(run(unread).stdout_data, "done\n");
}

TEST_F(Docker, OutputPastItsCapIsDrained) {
  auto asks =
      request("import sys\nsys.stdout.write('x' * (5 << 20))\nprint('end', file=sys.stderr)");
  asks.limits.stdout_bytes = Bytes::kib(1);
  const auto result = run(asks);
  EXPECT_EQ(result.stdout_data.size(), 1024U);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_EQ(result.stderr_data, "end\n");
  EXPECT_TRUE(hit(result, LimitHit::Output));
}

struct Timed : OutputSink {
  void on_stdout(std::string_view bytes) override {
    if (text.empty()) first = Clock::now();
    text += bytes;
  }
  void on_stderr(std::string_view bytes) override { text += bytes; }
  std::string text;
  Clock::time_point first;
};

TEST_F(Docker, OutputStreamsWhileTheProgramRuns) {
  Timed sink;
  ExecutionContext context;
  context.sink = &sink;
  const auto result = run(
      request("import time\nprint('first', flush=True)\ntime.sleep(1)\nprint('second')"), context);
  EXPECT_EQ(result.stdout_data, "first\nsecond\n");
  EXPECT_EQ(sink.text, result.stdout_data);
  EXPECT_GT(Clock::now() - sink.first, 900ms);
}

// Forks away, in sessions of its own, and holds the output.
constexpr const char* kDaemons = R"(
import os, sys, time
print('started', flush=True)
for i in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() > 0: os._exit(0)
        time.sleep(300)
)";

TEST_F(Docker, ATimeoutEndsEveryDescendantAndTheContainerStays) {
  ASSERT_TRUE(executor().start());
  const std::string container = executor().container_id();
  auto asks = request(std::string(kDaemons) + "time.sleep(300)\n");
  asks.timeout = 1500ms;
  const auto started = Clock::now();
  const auto result = run(asks);
  EXPECT_LT(Clock::now() - started, 8s);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_EQ(result.stdout_data, "started\n");
  EXPECT_TRUE(result.killed);
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(processes(container), std::vector<std::string>());
  EXPECT_EQ(run("print(1)").stdout_data, "1\n");
  EXPECT_EQ(executor().container_id(), container);
}

TEST_F(Docker, WhatOutlivesTheProgramIsEndedWithIt) {
  (void)executor().start();
  const auto started = Clock::now();
  const auto result = run(request(kDaemons));
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_LT(Clock::now() - started, 8s);
  EXPECT_EQ(processes(executor().container_id()), std::vector<std::string>());
}

TEST_F(Docker, CancellingDoesTheSame) {
  (void)executor().start();
  std::stop_source stop;
  ExecutionContext context;
  context.cancel = stop.get_token();
  const std::jthread canceller([&stop] {
    std::this_thread::sleep_for(1s);
    stop.request_stop();
  });
  const auto result = run(request(std::string(kDaemons) + "time.sleep(300)\n"), context);
  EXPECT_EQ(result.status, ExecutionStatus::Cancelled) << describe(result);
  EXPECT_TRUE(result.killed);
  EXPECT_EQ(processes(executor().container_id()), std::vector<std::string>());
  EXPECT_EQ(run("print(2)").stdout_data, "2\n");
}

TEST_F(Docker, AForkBombIsHeldAndEnded) {
  (void)executor().start();
  const std::string container = executor().container_id();
  auto asks = request("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass");
  asks.timeout = 2s;
  const auto result = run(asks);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_EQ(executor().container_id(), container);
  EXPECT_EQ(processes(container), std::vector<std::string>());
  EXPECT_EQ(run("print(3)").stdout_data, "3\n");
}

TEST_F(Docker, KillingEverythingItCanReachHarmsNobodyElse) {
  (void)executor().start();
  const std::string container = executor().container_id();
  const auto result = run("import os, signal\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)");
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_EQ(run("print(4)").stdout_data, "4\n");
  EXPECT_EQ(executor().container_id(), container);
}

TEST_F(Docker, OutOfMemoryIsToldApart) {
  DockerOptions small = options();
  small.memory = Bytes::mib(64);
  const auto executor = make(small);
  auto asks = request("x = bytearray(300 << 20)\nprint('alive')");
  auto result = executor->execute(asks);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Oom) << describe(*result);
  EXPECT_TRUE(result->oom);
  EXPECT_TRUE(result->killed);
  EXPECT_TRUE(hit(*result, LimitHit::Memory));
  EXPECT_FALSE(result->signal);
  // A child that is killed counts, whatever its parent says.
  asks.code = "import os\nif os.fork() == 0: x = bytearray(300 << 20)\nelse: os.wait()";
  result = executor->execute(asks);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Oom) << describe(*result);
  result = executor->execute(request("print('still usable')"));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Success) << describe(*result);
}

TEST_F(Docker, LanguagesOfTheImageRunAndOthersAreNamed) {
  EXPECT_EQ(run(request("echo \"$0 is a shell\" | sed 's/.*is/is/'", "sh")).stdout_data,
            "is a shell\n");
  const auto ruby = executor().execute(request("puts 1", "ruby"));
  ASSERT_FALSE(ruby);
  EXPECT_EQ(ruby.error().code(), ErrorCode::UnsupportedLanguage);
  EXPECT_NE(ruby.error().message().find("ruby"), std::string::npos);
  EXPECT_FALSE(executor().execute(request("x", "klingon")));
}

}  // namespace
}  // namespace cove::docker_suite
