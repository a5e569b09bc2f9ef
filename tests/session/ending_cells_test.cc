// Cells that end before they are done, and what is left of the session then.
#include <thread>

#include "session_fixture.h"

namespace cove::session_tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

TEST_F(Sessions, InterruptEndsTheCellAndKeepsTheState) {
  const auto id = open().id;
  run(id, "x = 1");
  EXPECT_EQ(service_->interrupt(id).error().code(), ErrorCode::Conflict);
  std::jthread helper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_EQ(service_->info(id)->state, SessionState::Running);
    EXPECT_TRUE(service_->interrupt(id));
  });
  const auto result = run(id, "print('on')\nwhile True: x += 1");
  EXPECT_EQ(result.status, ExecutionStatus::Cancelled) << describe(result);
  EXPECT_FALSE(result.state_lost);
  EXPECT_EQ(result.error->name, "KeyboardInterrupt");
  EXPECT_EQ(result.stdout_data, "on\n");
  EXPECT_EQ(value(id, "x > 1"), "True");
}

TEST_F(Sessions, TimeoutInterruptsFirst) {
  const auto id = open().id;
  run(id, "x = 1");
  const auto started = Clock::now();
  const auto result = run(id, "import time\nprint('so far')\ntime.sleep(60)", milliseconds(300));
  EXPECT_LT(Clock::now() - started, seconds(5));
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_EQ(result.stdout_data, "so far\n");
  EXPECT_FALSE(result.state_lost) << describe(result);
  EXPECT_EQ(value(id, "x"), "1");
}

TEST_F(Sessions, TimeoutThenKillsAndSaysThatTheStateIsLost) {
  const auto id = open().id;
  run(id, "x = 1\nopen('kept.txt', 'w').write('here')");
  const auto result = run(id,
                          "import time\nwhile True:\n"
                          "    try:\n"
                          "        while True: time.sleep(0.01)\n"
                          "    except KeyboardInterrupt: print('no', flush=True)",
                          milliseconds(300));
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_EQ(result.stdout_data, "no\n");
  EXPECT_TRUE(result.state_lost);
  EXPECT_NE(describe(result).find("fresh interpreter"), std::string::npos);
  EXPECT_EQ(value(id, "'x' in globals(), open('kept.txt').read()"), "(False, 'here')");
}

TEST_F(Sessions, ACrashLosesTheStateNotTheSession) {
  const auto id = open().id;
  run(id, "x = 1\nimport os\nos.mkdir('d'); open('d/f', 'w').write('here')");
  const auto crashed = run(id,
                           "import os, signal\nprint('bye', flush=True)\n"
                           "os.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(crashed.status, ExecutionStatus::Failed);
  EXPECT_TRUE(crashed.state_lost);
  ASSERT_TRUE(crashed.error);
  EXPECT_EQ(crashed.error->name, "SIGSEGV");
  EXPECT_EQ(crashed.stdout_data, "bye\n");
  EXPECT_EQ(value(id, "'x' in globals(), open('d/f').read()"), "(False, 'here')");
  const auto left = run(id, "import os; os._exit(7)");
  EXPECT_EQ(left.error->name, "exit code 7") << describe(left);
  EXPECT_EQ(value(id, "1 + 1"), "2");
}

TEST_F(Sessions, OutOfMemoryLosesTheState) {
  Limits limits;
  limits.memory = Bytes::mib(96);
  const auto id = open("python", limits).id;
  const auto result =
      run(id, "x = bytearray(300 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1");
  if (result.status == ExecutionStatus::Failed && result.error &&
      result.error->name == "MemoryError") {
    GTEST_SKIP() << "no control group here: the program sees the failed allocation";
  }
  EXPECT_EQ(result.status, ExecutionStatus::Oom) << describe(result);
  EXPECT_TRUE(result.state_lost);
  EXPECT_EQ(value(id, "1 + 1"), "2");
}

TEST_F(Sessions, OutOfMemoryInAChildLosesTheState) {
  Limits limits;
  limits.memory = Bytes::mib(96);
  const auto id = open("python", limits).id;
  const auto result = run(id,
                          "import subprocess, sys\n"
                          "subprocess.run([sys.executable, '-c', 'x = bytearray(300 << 20)\\n"
                          "for i in range(0, len(x), 4096): x[i] = 1']).returncode");
  if (result.status == ExecutionStatus::Success && form(*result.value, "text/plain") == "1") {
    GTEST_SKIP() << "no control group here: the program sees the failed allocation";
  }
  EXPECT_EQ(result.status, ExecutionStatus::Oom) << describe(result);
  EXPECT_TRUE(result.state_lost);
  EXPECT_EQ(value(id, "1 + 1"), "2");
}

TEST_F(Sessions, ACallerThatGoesAwayCancelsItsCell) {
  const auto id = open().id;
  run(id, "x = 5");
  std::stop_source stop;
  std::jthread helper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    stop.request_stop();
  });
  const auto result =
      service_->execute(id, {.code = "import time; time.sleep(60)", .timeout = seconds(30)},
                        stop.get_token(), nullptr);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, ExecutionStatus::Cancelled);
  EXPECT_FALSE(result->state_lost);
  EXPECT_EQ(value(id, "x"), "5");
}

TEST_F(Sessions, ALossThatNobodyHeardOfIsToldWithTheNextCell) {
  const auto id = open().id;
  run(id, "x = 1");
  std::stop_source stop;
  std::jthread helper([&] {
    std::this_thread::sleep_for(milliseconds(500));
    stop.request_stop();
  });
  const auto stubborn = service_->execute(id,
                                          {.code = "import time\nwhile True:\n"
                                                   "    try:\n"
                                                   "        while True: time.sleep(0.01)\n"
                                                   "    except KeyboardInterrupt: pass",
                                           .timeout = seconds(30)},
                                          stop.get_token(), nullptr);
  ASSERT_TRUE(stubborn);
  EXPECT_TRUE(stubborn->state_lost);
  const auto session = service_->info(id);
  ASSERT_EQ(session->notes.size(), 1U);
  EXPECT_TRUE(session->notes[0].starts_with("all variables were lost at 20")) << session->notes[0];
  const auto next = run(id, "x");
  EXPECT_EQ(next.status, ExecutionStatus::Failed);
  EXPECT_TRUE(next.state_lost) << describe(next);
  ASSERT_EQ(next.notes.size(), 1U);
  EXPECT_TRUE(next.notes[0].starts_with("before this cell all variables were lost at 20"))
      << next.notes[0];
  EXPECT_NE(next.notes[0].find("in cell 2: its caller went away or cancelled it, and the "
                               "interpreter did not end the cell within"),
            std::string::npos)
      << next.notes[0];
  // Told once; the session goes on saying it until it is reset.
  EXPECT_FALSE(run(id, "y = 1").state_lost);
  EXPECT_EQ(service_->info(id)->notes.size(), 1U);
  EXPECT_TRUE(service_->reset(id));
  EXPECT_TRUE(service_->info(id)->notes.empty());
}

TEST_F(Sessions, ResetGivesAFreshInterpreterAtOnce) {
  const auto id = open().id;
  run(id, "x = 1; open('f', 'w').write('kept')");
  ASSERT_TRUE(service_->reset(id));
  EXPECT_EQ(value(id, "'x' in globals(), open('f').read()"), "(False, 'kept')");
  std::jthread helper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_TRUE(service_->reset(id));
  });
  const auto result = run(id, "while True: pass", seconds(20));
  EXPECT_EQ(result.status, ExecutionStatus::Cancelled) << describe(result);
  EXPECT_TRUE(result.state_lost);
  EXPECT_LT(result.duration, seconds(5));
  helper.join();
  EXPECT_EQ(value(id, "1"), "1");
}

TEST_F(Sessions, RemovingEndsARunningCell) {
  const auto id = open().id;
  std::jthread helper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_TRUE(service_->remove(id));
  });
  const auto result =
      service_->execute(id, {.code = "while True: pass", .timeout = seconds(20)}, {}, nullptr);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Gone);
}

TEST_F(Sessions, CellsRunOneAfterTheOther) {
  const auto id = open().id;
  run(id, "import time\nlog = []");
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] { run(id, "log.append('in'); time.sleep(0.05); log.append('out')"); });
  }
  callers.clear();
  EXPECT_EQ(value(id, "''.join(log) == 'inout' * 4"), "True");
}

}  // namespace
}  // namespace cove::session_tests
