#include "api/session_lines.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

using namespace std::chrono_literals;

class SessionLinesTest : public testing::Test {
 protected:
  void TearDown() override { pool_.close(); }

  bool join(const std::string& session, std::function<void()> run) {
    return lines_.join(session, {nullptr, std::move(run), [] {}});
  }

  // Starts a call that lasts until release_.
  void hold(const std::string& session) {
    const auto started = std::make_shared<std::latch>(1);
    ASSERT_TRUE(join(session, [this, started] {
      started->count_down();
      release_.wait();
    }));
    started->wait();
  }

  std::latch release_{1};
  WorkerPool pool_{2, 4};
  SessionLines lines_{pool_, 20};
};

TEST_F(SessionLinesTest, KeepsTheOrderAndRunsOneAtATime) {
  hold("a");
  std::vector<int> order;  // no lock: one at a time
  std::latch all(20);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(join("a", [&, i] {
      order.push_back(i);
      all.count_down();
    }));
  }
  EXPECT_EQ(lines_.calls("a"), 21U);
  EXPECT_FALSE(join("a", [] {}));  // full
  release_.count_down();
  all.wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_F(SessionLinesTest, WhoWaitsHoldsNoThread) {
  hold("a");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(join("a", [] {}));
  std::latch other(1);
  ASSERT_TRUE(join("b", [&] { other.count_down(); }));
  other.wait();
  release_.count_down();
}

TEST_F(SessionLinesTest, WhoLeavesIsToldAndDoesNotRun) {
  hold("a");
  std::atomic<int> ran = 0;
  int left = 0;
  const int ticket = 0;
  ASSERT_TRUE(lines_.join("a", {&ticket, [&] { ran += 10; }, [&] { ++left; }}));
  std::latch last(1);
  ASSERT_TRUE(join("a", [&] {
    ++ran;
    last.count_down();
  }));
  lines_.leave("a", &ticket);
  lines_.leave("a", &ticket);
  lines_.leave("nobody", &ticket);
  EXPECT_EQ(left, 1);
  EXPECT_EQ(lines_.calls("a"), 2U);
  release_.count_down();
  last.wait();
  EXPECT_EQ(ran, 1);
}

TEST_F(SessionLinesTest, AFreeSessionNeedsAWorkerOrRoomInTheQueue) {
  hold("a");
  hold("b");
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(join("waits" + std::to_string(i), [] {}));
  EXPECT_FALSE(join("c", [] {}));
  EXPECT_EQ(lines_.calls("c"), 0U);
  EXPECT_TRUE(join("a", [] {}));  // waits for its session, not for a worker
  release_.count_down();
}

TEST(SessionLines, APoolThatEndsServesWhoWaits) {
  std::atomic<int> ran = 0;
  auto pool = std::make_unique<WorkerPool>(1, 0);
  SessionLines lines(*pool, 5);
  std::latch started(1);
  ASSERT_TRUE(lines.join("a", {nullptr,
                               [&] {
                                 started.count_down();
                                 std::this_thread::sleep_for(50ms);
                               },
                               [] {}}));
  started.wait();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(lines.join("a", {nullptr, [&] { ++ran; }, [] {}}));
  pool->close();
  EXPECT_EQ(ran, 5);
}

}  // namespace
}  // namespace cove
