#include "session/turn.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

using namespace std::chrono_literals;

TEST(Turn, ComesToOneAtATimeInOrder) {
  Turn turn;
  std::vector<int> order;
  std::vector<std::jthread> threads;
  {
    const auto first = turn.take();
    ASSERT_TRUE(first);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const auto hold = turn.take();
        order.push_back(i);
      });
      std::this_thread::sleep_for(20ms);  // so that they come in this order
    }
    EXPECT_TRUE(turn.in_use());
    EXPECT_TRUE(order.empty());
  }
  threads.clear();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_FALSE(turn.in_use());
}

TEST(Turn, CanBeGivenUpWhileWaiting) {
  Turn turn;
  const auto held = turn.take();
  std::stop_source stop;
  std::atomic<bool> came = true;
  std::jthread waiter([&] { came = static_cast<bool>(turn.take(stop.get_token())); });
  std::this_thread::sleep_for(20ms);
  stop.request_stop();
  waiter.join();
  EXPECT_FALSE(came);
}

TEST(Turn, NeverComesOnceClosed) {
  Turn turn;
  std::atomic<bool> came = true;
  {
    const auto held = turn.take();
    std::jthread waiter([&] { came = static_cast<bool>(turn.take()); });
    std::this_thread::sleep_for(20ms);
    turn.close();
  }
  EXPECT_FALSE(came);
  EXPECT_FALSE(turn.take());
}

}  // namespace
}  // namespace cove
