// What branches of one family share, as docs/sessions.md says, and what nobody else gets.
#include "session_fixture.h"

namespace cove::session_tests {
namespace {

class Siblings : public Sessions {
 protected:
  void SetUp() override {
    Sessions::SetUp();
    first_ = open().id;
    run(first_, "secret = 'of the family'; open('mine', 'w').write('first')");
    const auto branch = service_->fork(first_);
    ASSERT_TRUE(branch) << branch.error().message();
    second_ = branch->id;
    stranger_ = open().id;
    run(stranger_, "open('mine', 'w').write('stranger')");
  }
  std::string first_;
  std::string second_;
  std::string stranger_;
};

TEST_F(Siblings, SeeEachOthersFilesAndProcesses) {
  EXPECT_EQ(value(second_, "open('/workspace/mine').read()"), "'first'");
  EXPECT_EQ(value(second_, "import os\nlen([p for p in os.listdir('/proc') if p.isdigit()])"), "3");
}

TEST_F(Siblings, CanSignalEachOtherAndTheOthersGoOn) {
  const auto killed = run(second_,
                          "import os\n"
                          "for p in os.listdir('/proc'):\n"
                          "    if p.isdigit() and int(p) not in (1, os.getpid()):\n"
                          "        os.kill(int(p), 9)");
  EXPECT_EQ(killed.status, ExecutionStatus::Success) << describe(killed);
  const auto noticed = run(first_, "secret");
  EXPECT_TRUE(noticed.state_lost) << describe(noticed);
  EXPECT_EQ(value(first_, "'secret' in globals(), open('mine').read()"), "(False, 'first')");
  EXPECT_EQ(value(second_, "secret"), "'of the family'");
  EXPECT_EQ(value(stranger_, "open('mine').read()"), "'stranger'");
}

TEST_F(Siblings, AreHiddenFromStrangers) {
  EXPECT_EQ(value(stranger_,
                  "import os\n"
                  "os.path.exists('/sessions/1'), open('/workspace/mine').read(),"
                  " len([p for p in os.listdir('/proc') if p.isdigit()])"),
            "(False, 'stranger', 2)");
}

TEST_F(Siblings, CannotTraceEachOther) {
  EXPECT_EQ(value(second_,
                  "import ctypes, os\n"
                  "libc = ctypes.CDLL(None, use_errno=True)\n"
                  "libc.ptrace(16, 2, 0, 0), ctypes.get_errno()"),
            "(-1, 1)");
}

TEST_F(Siblings, HaveLimitsOfTheirOwn) {
  Limits limits;
  limits.memory = Bytes::mib(128);
  const auto id = open("python", limits).id;
  run(id, "x = 1");
  const auto branch = service_->fork(id);
  ASSERT_TRUE(branch);
  const auto result =
      run(branch->id, "y = bytearray(400 << 20)\nfor i in range(0, len(y), 4096): y[i] = 1");
  if (result.error && result.error->name == "MemoryError") {
    GTEST_SKIP() << "no control group here: the program sees the failed allocation";
  }
  EXPECT_EQ(result.status, ExecutionStatus::Oom) << describe(result);
  EXPECT_EQ(value(id, "x"), "1");
}

}  // namespace
}  // namespace cove::session_tests
