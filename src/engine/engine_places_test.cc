// Work that is no job but counts as one: Engine::take_place.
#include <atomic>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/testing/fake_executor.h"
#include "engine/testing/recording_watcher.h"

namespace cove {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class EnginePlaces : public ::testing::Test {
 protected:
  void make(unsigned jobs, std::size_t queue) {
    EngineOptions options;
    options.max_jobs = jobs;
    options.max_queue = queue;
    auto engine = Engine::create(options, executor_, metrics_);
    ASSERT_TRUE(engine.has_value()) << engine.error().message();
    engine_ = std::move(*engine);
  }
  Result<std::string> submit(std::string code, std::shared_ptr<RecordingWatcher> watcher) {
    Submission out;
    out.request.code = std::move(code);
    out.request.language = "sh";
    out.caller = caller_;
    return engine_->submit(std::move(out), std::move(watcher));
  }
  bool shows(const std::string& line) const {
    for (int i = 0; i < 500; ++i) {
      if (metrics_->text().find(line + "\n") != std::string::npos) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  std::shared_ptr<FakeExecutor> executor_ = std::make_shared<FakeExecutor>();
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  std::unique_ptr<Engine> engine_;
  Caller caller_{"a", {Scope::Execute, Scope::Sessions}, {}};
};

TEST_F(EnginePlaces, PlacesAndJobsShareTheNumber) {
  make(1, 1);
  auto place = engine_->take_place(caller_, {});
  ASSERT_TRUE(place.has_value());
  const auto watcher = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(submit("echo x", watcher).has_value());
  EXPECT_TRUE(shows("cove_jobs_running 1"));
  EXPECT_TRUE(shows("cove_jobs_queued 1"));
  const auto refused = engine_->take_place(caller_, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::Busy);
  place->reset();
  EXPECT_EQ(watcher->wait()->result->stdout_data, "x");
  EXPECT_TRUE(engine_->take_place(caller_, {}).has_value());
}

TEST_F(EnginePlaces, WhoWaitsGetsThePlaceOfAJobThatEnds) {
  make(1, 1);
  const auto watcher = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(submit("wait", watcher).has_value());
  std::atomic<bool> given = false;
  std::jthread waiting([&] { given = engine_->take_place(caller_, {}).has_value(); });
  EXPECT_TRUE(shows("cove_jobs_queued 1"));
  EXPECT_FALSE(given);
  executor_->release();
  waiting.join();
  EXPECT_TRUE(given);
  EXPECT_TRUE(shows("cove_jobs_running 0"));
}

TEST_F(EnginePlaces, WaitingEndsWhenItIsCancelledAndWhenTheEngineStops) {
  make(1, 2);
  auto place = engine_->take_place(caller_, {});
  ASSERT_TRUE(place.has_value());
  std::stop_source stop;
  Error first(ErrorCode::Internal, "");
  Error second(ErrorCode::Internal, "");
  const auto wait = [&](Error& into, const std::stop_token& token) {
    const auto got = engine_->take_place(caller_, token);
    if (!got) into = got.error();
  };
  std::jthread cancelled([&] { wait(first, stop.get_token()); });
  std::jthread drained([&] { wait(second, {}); });
  EXPECT_TRUE(shows("cove_jobs_queued 2"));
  stop.request_stop();
  cancelled.join();
  EXPECT_EQ(first.code(), ErrorCode::Conflict);
  EXPECT_TRUE(shows("cove_jobs_queued 1"));
  EXPECT_TRUE(engine_->drain(0ms));
  drained.join();
  EXPECT_EQ(second.code(), ErrorCode::BackendUnavailable);
  place->reset();
}

TEST_F(EnginePlaces, AKeysRateAndConcurrencyCount) {
  make(4, 0);
  caller_.limits.concurrency = 1;
  auto place = engine_->take_place(caller_, {});
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(engine_->take_place(caller_, {}).error().code(), ErrorCode::Busy);
  place->reset();
  Caller slow{"slow", {Scope::Sessions}, {}};
  slow.limits.rate = 0.2;
  EXPECT_TRUE(engine_->take_place(slow, {}).has_value());
  const auto refused = engine_->take_place(slow, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message(), HasSubstr("0.2 submissions a second"));
}

TEST_F(EnginePlaces, ManyOfBothKindsAllGetThrough) {
  make(3, 1000);
  std::atomic<int> places = 0;
  std::vector<std::shared_ptr<RecordingWatcher>> jobs;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 50; ++n) places += engine_->take_place(caller_, {}).has_value() ? 1 : 0;
      });
    }
    for (int i = 0; i < 200; ++i) {
      jobs.push_back(std::make_shared<RecordingWatcher>());
      ASSERT_TRUE(submit("echo x", jobs.back()).has_value());
    }
  }
  EXPECT_EQ(places, 400);
  for (const auto& job : jobs) EXPECT_TRUE(job->wait().has_value());
  EXPECT_LE(executor_->peak(), 3);
  EXPECT_TRUE(shows("cove_jobs_running 0"));
}

TEST_F(EnginePlaces, SetUpTimeIsMeasured) {
  make(1, 0);
  const auto watcher = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(submit("echo x", watcher).has_value());
  ASSERT_TRUE(watcher->wait().has_value());
  const std::string labels = R"({language="sh",backend="fake",start="cold")";
  EXPECT_TRUE(shows("cove_sandbox_setup_seconds_bucket" + labels + R"(,le="0.0005"} 0)"));
  EXPECT_TRUE(shows("cove_sandbox_setup_seconds_bucket" + labels + R"(,le="0.001"} 1)"));
  EXPECT_TRUE(shows("cove_sandbox_setup_seconds_count" + labels + "} 1"));
}

}  // namespace
}  // namespace cove
