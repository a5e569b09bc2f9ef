// Hostile cells. Each attack is on one session; afterwards a second session of the service must
// work as before, and nothing may be left behind.
#include <thread>

#include "attack/footprint.h"
#include "sandbox/launcher.h"
#include "session_fixture.h"

namespace cove::session_tests {
namespace {

using attack::Footprint;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class HostileCells : public Sessions {
 protected:
  // What the library keeps for the life of the process is not a leftover.
  static void SetUpTestSuite() { ASSERT_TRUE(sandbox::init_program_fd()); }

  void SetUp() override {
    attack::adopt_orphans();
    before_ = Footprint::now();
    Sessions::SetUp();
    bystander_ = open().id;
    value(bystander_, "x = 'untouched'; 1");
    victim_ = open().id;
  }

  void TearDown() override {
    EXPECT_EQ(value(bystander_, "x"), "'untouched'");
    service_.reset();
    EXPECT_EQ(attack::leftovers(before_, Footprint::now()), "");
  }

  // Runs the attack; it must be over in time, whatever it does.
  CellResult attack(std::string code, milliseconds timeout = milliseconds(1000)) {
    const auto started = Clock::now();
    auto result = run(victim_, std::move(code), timeout);
    EXPECT_LT(Clock::now() - started, timeout + seconds(4)) << describe(result);
    return result;
  }
  // The attacked session is usable again, with or without its state.
  void expect_usable() { EXPECT_EQ(value(victim_, "1 + 1"), "2"); }

  Footprint before_;
  std::string bystander_;
  std::string victim_;
};

TEST_F(HostileCells, CloseTheControlSocket) {
  const auto result = attack("import os; os.close(3)");
  EXPECT_TRUE(result.state_lost) << describe(result);
  expect_usable();
}

TEST_F(HostileCells, CloseTheStandardStreams) {
  attack("import os\nfor fd in (0, 1, 2): os.close(fd)");
  const auto after = run(victim_, "y = 1");
  EXPECT_EQ(after.status, ExecutionStatus::Success) << describe(after);
  expect_usable();
}

TEST_F(HostileCells, ForgeTheirOwnResultAndNothingElse) {
  const auto forged = attack(
      "import os\n"
      "def frame(t): os.write(3, b'%d\\n%b' % (len(t), t))\n"
      "frame(b'{\"type\":\"done\",\"number\":999,\"ok\":true}')\n"
      "frame(b'{\"type\":\"ready\"}')\n"
      "frame(b'{\"type\":\"forked\",\"threads\":[]}')\n"
      "frame(b'{\"type\":\"refused\",\"reason\":\"x\"}')\n"
      "frame(b'{\"type\":\"done\",\"number\":1,\"ok\":true,\"value\":{\"text/"
      "plain\":\"forged\"}}')\n");
  EXPECT_EQ(form(*forged.value, "text/plain"), "forged");
  expect_usable();
  // Words of an earlier cell do not make a branch.
  const auto branch = service_->fork(victim_);
  if (branch) {
    EXPECT_EQ(value(branch->id, "1 + 1"), "2");
  }
}

TEST_F(HostileCells, SendRubbish) {
  for (const char* rubbish : {"b'x' * 100", "b'99999999999999\\n'", "b'\\n\\n'", "b'-5\\nhello'",
                              "b'2\\n{}'", "b'7\\n[[[[[[['", "b'5\\n\\xff\\xff\\xff\\xff\\xff'"}) {
    const auto result = attack(std::string("import os\nos.write(3, ") + rubbish + ")");
    EXPECT_TRUE(result.state_lost) << rubbish << describe(result);
    expect_usable();
  }
}

TEST_F(HostileCells, SendGiantFrames) {
  attack(
      "import os\n"
      "os.write(3, b'8388608\\n')\n"
      "while True: os.write(3, b'x' * 65536)");
  expect_usable();
  const auto many = attack(
      "import os\n"
      "t = b'{\"type\":\"display\",\"data\":{\"text/plain\":\"' + b'x' * 1000000 + b'\"}}'\n"
      "while True: os.write(3, b'%d\\n%b' % (len(t), t))");
  EXPECT_LE(many.displays.size(), 40U);
  expect_usable();
}

TEST_F(HostileCells, FloodTheOutput) {
  const auto result = attack("while True: print('x' * 10000)");
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_LE(result.stdout_data.size(), 1U << 20U);
  EXPECT_FALSE(result.state_lost) << describe(result);
  expect_usable();
}

TEST_F(HostileCells, FloodFromTheBackground) {
  attack(
      "import threading, os\n"
      "def flood():\n"
      "    while True: os.write(1, b'y' * 4096)\n"
      "threading.Thread(target=flood, daemon=True).start()");
  const auto next = run(victim_, "2", seconds(5));
  EXPECT_EQ(next.status, ExecutionStatus::Success) << next.notes.size();
}

TEST_F(HostileCells, ForkBomb) {
  const auto result = attack(
      "import os\n"
      "while True:\n"
      "    try: os.fork()\n"
      "    except OSError: pass");
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  expect_usable();
}

TEST_F(HostileCells, ComeBackFromAForkTwice) {
  const auto result =
      attack("import os, time\nchild = os.fork()\nif child == 0: time.sleep(0.1)\n'v'");
  EXPECT_EQ(form(*result.value, "text/plain"), "'v'") << describe(result);
  EXPECT_EQ(value(victim_, "os.waitpid(child, 0)[1]"), "0");
}

TEST_F(HostileCells, IgnoreEverySignal) {
  const auto result = attack(
      "import signal\n"
      "for n in range(1, 65):\n"
      "    try: signal.signal(n, signal.SIG_IGN)\n"
      "    except (OSError, ValueError): pass\n"
      "while True: pass");
  EXPECT_TRUE(result.state_lost);
  expect_usable();
}

TEST_F(HostileCells, KillPidOneAndEverybody) {
  attack("import os, signal\nos.kill(1, 9)\nos.kill(1, 15)\nos.kill(1, 17)");
  expect_usable();
  const auto all = attack("import os\nos.kill(-1, 9)");
  EXPECT_FALSE(all.state_lost) << describe(all);  // the caller is spared, and so is pid 1
  expect_usable();
}

TEST_F(HostileCells, StopThemselves) {
  const auto result = attack("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)");
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_TRUE(result.state_lost);
  expect_usable();
}

TEST_F(HostileCells, PutLinksInTheWayOfFiles) {
  attack(
      "import os\n"
      "os.symlink('/etc/passwd', 'link')\n"
      "os.symlink('/etc', 'dir')\n"
      "os.mkfifo('pipe')\n"
      "os.symlink('/proc/self/root', 'root')\n"
      "open('plain', 'w').close()");
  for (const char* name : {"link", "dir/passwd", "root/etc/passwd"}) {
    EXPECT_EQ(service_->read_file(victim_, name).error().code(), ErrorCode::NotFound) << name;
    EXPECT_FALSE(service_->write_file(victim_, name, "x")) << name;
  }
  EXPECT_EQ(service_->read_file(victim_, "pipe").error().code(), ErrorCode::Conflict);
  EXPECT_FALSE(service_->write_file(victim_, "pipe", "x"));
  const auto files = service_->files(victim_);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ((*files)[0].name, "plain");
  // A copy of the directory has the links, and follows none.
  ASSERT_TRUE(service_->reset(victim_));
  EXPECT_EQ(value(victim_, "import os; os.readlink('link'), os.path.exists('pipe')"),
            "('/etc/passwd', False)");
}

TEST_F(HostileCells, RefuseToBeForked) {
  attack(
      "import sys\n"
      "branch = sys.modules['cove_session.branch']\n"
      "branch.fork = lambda channel, fds: False");
  const auto started = Clock::now();
  const auto branch = service_->fork(victim_);
  EXPECT_FALSE(branch);
  EXPECT_LT(Clock::now() - started, seconds(15));
}

TEST_F(HostileCells, AnswerAForkThemselves) {
  // The session itself speaks through the new socket: the branch is then no new process.
  attack(
      "import sys, os\n"
      "branch = sys.modules['cove_session.branch']\n"
      "def lie(channel, fds):\n"
      "    t = b'{\"type\":\"ready\"}'\n"
      "    os.write(fds[0], b'%d\\n%b' % (len(t), t))\n"
      "    channel.send('forked', threads=[])\n"
      "    return False\n"
      "branch.fork = lie");
  EXPECT_FALSE(service_->fork(victim_));
  expect_usable();
}

TEST_F(HostileCells, FillTheDisk) {
  attack(
      "f = open('big', 'wb')\n"
      "try:\n"
      "    while True: f.write(b'x' * 65536)\n"
      "except OSError as e: print(e.errno)");
  const auto branch = service_->fork(victim_);
  ASSERT_FALSE(branch);
  EXPECT_EQ(branch.error().code(), ErrorCode::TooLarge);
  EXPECT_EQ(value(victim_, "f.close(); import os; os.remove('big')\n3"), "3");
  EXPECT_TRUE(service_->fork(victim_));
}

TEST_F(HostileCells, NestDirectoriesWithoutEnd) {
  attack("import os\nfor i in range(300):\n    os.mkdir('d'); os.chdir('d')");
  EXPECT_EQ(service_->fork(victim_).error().code(), ErrorCode::TooLarge);
  EXPECT_TRUE(service_->files(victim_));
}

}  // namespace
}  // namespace cove::session_tests
