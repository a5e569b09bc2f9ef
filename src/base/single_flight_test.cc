#include "base/single_flight.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

using Flights = SingleFlight<int>;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(SingleFlight, OneWorksAndAllHaveWhatCameOfIt) {
  Flights flights;
  std::atomic<int> worked = 0;
  std::atomic<int> waiting = 0;
  std::atomic<int> sum = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      auto turn = flights.take("k", {}, std::nullopt);
      if (turn.lead) {
        ++worked;
        while (waiting < 8) std::this_thread::yield();
        std::this_thread::sleep_for(milliseconds(50));
        turn.lead->share(5);
        sum += 5;
      } else if (turn.outcome) {
        sum += *turn.outcome;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(worked, 1);
  EXPECT_EQ(sum, 40);
}

TEST(SingleFlight, OtherKeysDoNotWait) {
  Flights flights;
  const auto first = flights.take("a", {}, std::nullopt);
  const auto second = flights.take("b", {}, std::nullopt);
  EXPECT_TRUE(first.lead);
  EXPECT_TRUE(second.lead);
  EXPECT_FALSE(second.waited);
}

TEST(SingleFlight, WhereOneGoesWithoutAnOutcomeAnotherTakesOver) {
  Flights flights;
  std::atomic<int> led = 0;
  std::vector<std::jthread> threads;
  auto first = std::make_unique<Flights::Turn>(flights.take("k", {}, std::nullopt));
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      if (const auto turn = flights.take("k", {}, std::nullopt); turn.lead) ++led;
    });
  }
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(led, 0);
  first.reset();
  threads.clear();
  EXPECT_EQ(led, 4);  // one after the other: none had an outcome to share
}

TEST(SingleFlight, AWaiterGoesWhenItIsCancelledOrLate) {
  Flights flights;
  const auto first = flights.take("k", {}, std::nullopt);
  const auto late = flights.take("k", {}, steady_clock::now() + milliseconds(20));
  EXPECT_FALSE(late.lead);
  EXPECT_FALSE(late.outcome);
  EXPECT_TRUE(late.waited);
  std::stop_source stop;
  std::jthread waiter([&] {
    const auto turn = flights.take("k", stop.get_token(), std::nullopt);
    EXPECT_FALSE(turn.lead);
    EXPECT_FALSE(turn.outcome);
  });
  std::this_thread::sleep_for(milliseconds(20));
  stop.request_stop();
  waiter.join();
  EXPECT_TRUE(first.lead);
}

TEST(SingleFlight, ManyRoundsOfManyKeysEnd) {
  Flights flights;
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        auto turn = flights.take(std::to_string(round % 3), {},
                                 steady_clock::now() + milliseconds(i % 2 == 0 ? 1 : 1000));
        if (turn.lead && round % 2 == 0) turn.lead->share(round);
        ++done;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(done, 1600);
  EXPECT_FALSE(flights.take("0", {}, std::nullopt).waited);
}

}  // namespace
}  // namespace cove
