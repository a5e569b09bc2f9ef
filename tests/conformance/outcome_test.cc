// How a run ends, what of its output is kept, and what it was given.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stop_token>
#include <thread>
#include <vector>

#include "conformance/conformance_fixture.h"

namespace cove::conformance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

TEST_P(Conformance, SuccessKeepsBothStreams) {
  const auto result = run("import sys\nsys.stdout.write('o')\nsys.stderr.write('w')\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.combined_output(), "o\n--- stderr ---\nw");
  EXPECT_EQ(outcome_of(result.status), Outcome::Ok);
  EXPECT_EQ(result.backend, GetParam().backend);
  EXPECT_EQ(result.isolation, GetParam().isolation);
  EXPECT_EQ(result.warm, warm());
  EXPECT_FALSE(result.execution_id.empty());
}

TEST_P(Conformance, ExitCodeIsTheProgramsOwn) {
  const auto result = run("raise SystemExit(41)");
  EXPECT_EQ(result.status, ExecutionStatus::Failed);
  EXPECT_EQ(result.exit_code, 41);
  EXPECT_FALSE(result.signal);
}

TEST_P(Conformance, DeathBySignalIsNamed) {
  const auto result =
      run("import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n");
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_EQ(result.signal, "SIGSEGV");
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(result.stdout_data, "x\n");
}

TEST_P(Conformance, SyntaxErrorIsAResult) {
  const auto result = run("def broken(:\n");
  EXPECT_EQ(result.status, ExecutionStatus::Failed);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.stderr_data.find("SyntaxError"), std::string::npos) << describe(result);
}

TEST_P(Conformance, TimeoutKeepsPartialOutput) {
  auto slow = request("import time\nprint('partial', flush=True)\ntime.sleep(10)\n");
  slow.timeout = soon();
  const auto start = Clock::now();
  const auto result = run(slow);
  EXPECT_LT(since(start), within(seconds(3)));
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_FALSE(result.exit_code);
  EXPECT_TRUE(result.killed);
  EXPECT_EQ(result.stdout_data, "partial\n");
  EXPECT_EQ(outcome_of(result.status), Outcome::DeadlineExceeded);
}

TEST_P(Conformance, TimeoutEndsEveryDescendant) {
  const std::string mark = "cove-conformance-" + std::to_string(::getpid());
  auto slow = request(
      "import os, subprocess, sys, time\n"
      "code = 'import os, time; os.setsid(); time.sleep(300)'\n"
      "for _ in range(3):\n"
      "    subprocess.Popen([sys.executable, '-c', code, '" +
      mark +
      "'], start_new_session=True)\n"
      "if os.fork() == 0:\n"
      "    os.setsid()\n"
      "    if os.fork() == 0:\n"
      "        os.execv(sys.executable, [sys.executable, '-c', code, '" +
      mark +
      "'])\n"
      "    os._exit(0)\n"
      "print('started', flush=True)\n"
      "time.sleep(300)\n");
  slow.timeout = milliseconds(700) + soon();
  const auto start = Clock::now();
  const auto result = run(slow);
  EXPECT_LT(since(start), within(seconds(3)));
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_EQ(result.stdout_data, "started\n");
  EXPECT_EQ(processes_left(mark, milliseconds(200)), 0);
}

TEST_P(Conformance, DescendantsDoNotOutliveTheProgram) {
  const std::string mark = "cove-orphan-" + std::to_string(::getpid());
  const auto start = Clock::now();
  const auto result =
      run("import subprocess, sys\n"
          "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', '" +
          mark +
          "'],\n"
          "                 start_new_session=True)\n"
          "print('done')\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_LT(since(start), within(seconds(10)));
  EXPECT_EQ(processes_left(mark, seconds(1)), 0);
}

TEST_P(Conformance, CancellingFromAnotherThreadEndsTheRun) {
  struct Sink : OutputSink {
    std::atomic<bool> on = false;
    void on_stdout(std::string_view) override { on = true; }
    void on_stderr(std::string_view) override {}
  } sink;
  std::stop_source stop;
  std::jthread canceller([&](const std::stop_token& over) {
    while (!sink.on && !over.stop_requested()) std::this_thread::sleep_for(milliseconds(5));
    stop.request_stop();
  });
  const auto start = Clock::now();
  const auto result = run(request("import time\nprint('on', flush=True)\ntime.sleep(60)\n"),
                          {.cancel = stop.get_token(), .sink = &sink});
  EXPECT_LT(since(start), within(seconds(3)));
  EXPECT_EQ(result.status, ExecutionStatus::Cancelled) << describe(result);
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(result.stdout_data, "on\n");
}

TEST_P(Conformance, CancelledBeforeItStartsDoesNotRunOn) {
  std::stop_source stop;
  stop.request_stop();
  const auto start = Clock::now();
  const auto result =
      executor().execute(request("import time\ntime.sleep(60)\n"), {.cancel = stop.get_token()});
  EXPECT_LT(since(start), within(seconds(3)));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Cancelled) << describe(*result);
}

TEST_P(Conformance, OneMebibyteOfInputIsEchoed) {
  auto echo = request("import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())\n");
  for (int i = 0; i < 1 << 20; ++i) echo.stdin_data += static_cast<char>('a' + i % 23);
  echo.limits.stdout_bytes = Bytes::mib(2);
  const auto result = run(echo);
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_TRUE(result.stdout_data == echo.stdin_data);
  EXPECT_FALSE(result.stdout_truncated);
}

TEST_P(Conformance, InputThatNobodyReadsDoesNotBlock) {
  auto ignoring = request("print('ignored it')");
  ignoring.stdin_data.assign(1 << 20, 'x');
  const auto result = run(ignoring);
  EXPECT_EQ(result.stdout_data, "ignored it\n") << describe(result);
}

TEST_P(Conformance, LongProgramRuns) {
  std::string code = "total = 0\n";
  while (code.size() < 300U << 10U) code += "total += 1  # one of very many lines\n";
  const auto result = run(code + "print('ran', total)\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_TRUE(result.stdout_data.starts_with("ran ")) << describe(result);
}

TEST_P(Conformance, OutputPastTheCapIsDrained) {
  const auto result =
      run("import sys\n"
          "block = 'x' * 65535 + '\\n'\n"
          "for _ in range(512): sys.stdout.write(block)\n"
          "sys.stdout.flush()\n"
          "sys.stderr.write('done')\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data.size(), 1U << 20U);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_FALSE(result.stderr_truncated);
  EXPECT_EQ(result.stderr_data, "done");
  EXPECT_TRUE(hit(result, LimitHit::Output));
}

TEST_P(Conformance, UnicodeAndNulBytesPassThrough) {
  auto odd = request(
      "import sys\nprint(sys.argv[1:], input(), "
      "flush=True)\nsys.stdout.buffer.write(b'\\0\\xff\\n')\n");
  odd.args = {"größe", "", "a b", "漢字"};
  odd.stdin_data = "žluťoučký 🐍\n";
  const auto result = run(odd);
  EXPECT_EQ(result.stdout_data,
            std::string("['größe', '', 'a b', '漢字'] žluťoučký 🐍\n") + std::string("\0\xff\n", 3))
      << describe(result);
}

TEST_P(Conformance, EnvironmentIsGivenAndNothingOfTheHostIs) {
  ::setenv("COVE_SECRET_OF_THE_HOST", "leaked", 1);
  auto asking =
      request("import os\nprint(os.environ['A'], os.environ.get('COVE_SECRET_OF_THE_HOST'))\n");
  asking.env = {{"A", "1"}};
  if (!isolates()) asking.policy.environment.kind = EnvironmentPolicy::Kind::Unrestricted;
  const auto result = run(asking);
  ::unsetenv("COVE_SECRET_OF_THE_HOST");
  EXPECT_EQ(result.stdout_data, isolates() ? "1 None\n" : "1 leaked\n") << describe(result);
}

TEST_P(Conformance, OutputStreamsWhileTheProgramRuns) {
  struct Sink : OutputSink {
    Clock::time_point first;
    std::string out, err;
    void on_stdout(std::string_view bytes) override {
      if (out.empty()) first = Clock::now();
      out += bytes;
    }
    void on_stderr(std::string_view bytes) override { err += bytes; }
  } sink;
  const auto result = run(
      request(
          "import sys, time\nprint('now', flush=True)\ntime.sleep(0.5)\nsys.stderr.write('e')\n"),
      {.cancel = {}, .sink = &sink});
  EXPECT_GT(since(sink.first), milliseconds(300));
  EXPECT_EQ(sink.out, result.stdout_data);
  EXPECT_EQ(sink.err, result.stderr_data);
}

TEST_P(Conformance, EightThreadsDoNotMixTheirRuns) {
  CodeExecutor& shared = executor();
  const int each = is_container() ? 1 : 5;
  const ExecutionRequest plain =
      request("import sys\nopen('f', 'w').write(sys.argv[1])\nprint(input())\n");
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) {
          const std::string word = std::to_string(t) + "-" + std::to_string(i);
          auto own = plain;
          own.timeout = seconds(60);
          own.args = {word};
          own.stdin_data = word + "\n";
          const auto result = shared.execute(own);
          const auto* file = result ? find_file(*result, "f") : nullptr;
          if (!result || result->stdout_data != word + "\n" || !file || file->content != word)
            ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(Conformance, NoticeSaysThatOutputWasCut) {
  auto loud = request("print('x' * 5000)");
  loud.limits.stdout_bytes = Bytes{1000};
  loud.truncation = TruncationStyle::Notice;
  const auto result = run(loud);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_LE(result.stdout_data.size(), 1000U);
  EXPECT_NE(result.stdout_data.find("truncated"), std::string::npos) << describe(result);
}

TEST_P(Conformance, BothStreamsAtOnceDoNotBlockEachOther) {
  const auto result = run(
      "import sys, threading\n"
      "def flood(stream):\n"
      "    for _ in range(64): stream.write('y' * 8192)\n"
      "    stream.flush()\n"
      "threads = [threading.Thread(target=flood, args=(s,)) for s in (sys.stdout, sys.stderr)]\n"
      "[t.start() for t in threads]\n"
      "[t.join() for t in threads]\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data.size(), 64U * 8192U);
  EXPECT_EQ(result.stderr_data.size(), 64U * 8192U);
}

TEST_P(Conformance, OutputOfChildrenAndOfDescriptorsIsCaptured) {
  const auto result =
      run("import os, subprocess\n"
          "os.write(1, b'by descriptor\\n')\n"
          "subprocess.run(['sh', '-c', 'echo by child; echo error >&2'])\n");
  EXPECT_EQ(result.stdout_data, "by descriptor\nby child\n") << describe(result);
  EXPECT_EQ(result.stderr_data, "error\n");
}

TEST_P(Conformance, VariablesAreDataWhateverTheyHold) {
  auto asking = request("import os\nprint(repr(os.environ['ODD']), os.environ['PATH'])\n");
  asking.env = {{"ODD", "a'b\"c\nd $HOME `x` =é"}, {"PATH", "/usr/bin:/bin"}};
  const auto result = run(asking);
  EXPECT_EQ(result.stdout_data, "'a\\'b\"c\\nd $HOME `x` =é' /usr/bin:/bin\n") << describe(result);
}

TEST_P(Conformance, AShellRunsTheSameWay) {
  auto shell = request("read -r line; echo \"$1 $line\"; exit 3", "sh");
  shell.args = {"word"};
  shell.stdin_data = "line\nrest\n";
  const auto result = run(shell);
  EXPECT_EQ(result.stdout_data, "word line\n") << describe(result);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.status, ExecutionStatus::Failed);
}

COVE_ON_EVERY_BACKEND;

}  // namespace
}  // namespace cove::conformance
