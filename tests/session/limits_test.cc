// How many sessions, and for how long.
#include <thread>

#include "session_fixture.h"

namespace cove::session_tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Sessions, AreBoundedInNumberWithTheirCheckpoints) {
  auto options = quick_options();
  options.max_sessions = 2;
  serve(options);
  const auto id = open().id;
  const auto point = service_->checkpoint(id, "");
  ASSERT_TRUE(point);
  EXPECT_EQ(service_->open({}).error().code(), ErrorCode::Busy);
  EXPECT_EQ(service_->fork(id).error().code(), ErrorCode::Busy);
  EXPECT_EQ(service_->checkpoint(id, "").error().code(), ErrorCode::Busy);
  ASSERT_TRUE(service_->remove_checkpoint(id, point->id));
  const auto branch = service_->fork(id);
  ASSERT_TRUE(branch);
  ASSERT_TRUE(service_->remove(id));
  EXPECT_NE(open().id, "");
}

TEST_F(Sessions, ExpireWhenIdle) {
  SessionOptions options;
  options.idle_timeout = seconds(1);
  const auto id = service_->open(options)->id;
  run(id, "import time; time.sleep(1.5)");  // busy is not idle
  EXPECT_TRUE(service_->info(id));
  for (int i = 0; i < 60 && service_->info(id); ++i) std::this_thread::sleep_for(milliseconds(50));
  const auto gone = service_->info(id);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), ErrorCode::Gone);
  EXPECT_NE(gone.error().message().find("expired after 1 s idle"), std::string::npos);
  options.idle_timeout = seconds(0);
  EXPECT_EQ(service_->open(options).error().field(), "idle_timeout");
}

TEST_F(Sessions, CellTimeoutsHaveAMaximum) {
  auto options = quick_options();
  options.max_cell_timeout = milliseconds(200);
  serve(options);
  const auto id = open().id;
  const auto result = run(id, "import time; time.sleep(5)", seconds(30));
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_NE(describe(result).find("lowered to the server's maximum of 200 ms"), std::string::npos);
  EXPECT_NE(describe(result).find("stopped by the timeout of 200 ms"), std::string::npos);
  EXPECT_EQ(
      service_->execute(id, {.code = "1", .timeout = milliseconds(0)}, {}, nullptr).error().field(),
      "timeout_ms");
}

TEST_F(Sessions, ProcessorTimeIsCountedForEachCell) {
  Limits limits;
  limits.cpu_time = milliseconds(300);
  const auto id = open("python", limits).id;
  const auto result = run(id, "x = 1\nwhile True: pass", seconds(20));
  if (result.error && result.error->name == "SIGXCPU") {
    GTEST_SKIP() << "no control group here: processor time is that of the interpreter's life";
  }
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_EQ(value(id, "x"), "1");
}

TEST_F(Sessions, OfOthersAreNotListed) {
  open();
  SessionOptions options;
  options.owner = "somebody else";
  ASSERT_TRUE(service_->open(options));
  EXPECT_EQ(service_->list("tester").size(), 1U);
  EXPECT_EQ(service_->list("").size(), 2U);
}

}  // namespace
}  // namespace cove::session_tests
