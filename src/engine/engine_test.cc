#include "engine/engine.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random_id.h"
#include "engine/audit_log.h"
#include "engine/testing/fake_executor.h"
#include "engine/testing/full_disk.h"
#include "engine/testing/recording_watcher.h"

namespace cove {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class EngineTest : public ::testing::Test {
 protected:
  void TearDown() override {
    engine_.reset();
    if (!options_.data_dir.empty()) std::filesystem::remove_all(options_.data_dir);
  }
  void use_directory() { options_.data_dir = ::testing::TempDir() + random_id("cove_engine_"); }
  void make() {
    auto engine = Engine::create(options_, executor_, metrics_);
    ASSERT_TRUE(engine.has_value()) << engine.error().message();
    engine_ = std::move(*engine);
  }
  Submission submission(std::string code, const std::string& caller = "a") const {
    Submission out;
    out.request.code = std::move(code);
    out.request.language = "sh";
    out.policy_name = "strict";
    out.caller = {caller, {Scope::Execute}, {}};
    return out;
  }
  struct Job {
    std::string id;
    std::shared_ptr<RecordingWatcher> watcher;
  };
  Job start(Submission what) {
    Job job{"", std::make_shared<RecordingWatcher>()};
    auto id = engine_->submit(std::move(what), job.watcher);
    EXPECT_TRUE(id.has_value()) << id.error().message();
    if (id) job.id = *id;
    return job;
  }
  Job start(std::string code, const std::string& caller = "a") {
    return start(submission(std::move(code), caller));
  }
  Error refusal(Submission what) {
    auto id = engine_->submit(std::move(what), nullptr);
    EXPECT_FALSE(id.has_value());
    return id ? Error(ErrorCode::Internal, "was accepted") : id.error();
  }

  EngineOptions options_;
  std::shared_ptr<FakeExecutor> executor_ = std::make_shared<FakeExecutor>();
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, ASubmissionRunsOnTheBackendThatItNames) {
  const auto other = std::make_shared<FakeExecutor>();
  options_.backends["other"] = other;
  make();
  auto what = submission("wait");
  what.backend = "other";
  const auto job = start(std::move(what));
  const auto usual = start("echo here");
  EXPECT_TRUE(usual.watcher->wait().has_value());
  EXPECT_EQ(other->peak(), 1);
  EXPECT_EQ(executor_->peak(), 1);
  other->release();
  EXPECT_TRUE(job.watcher->wait().has_value());

  auto nowhere = submission("echo x");
  nowhere.backend = "nowhere";
  EXPECT_EQ(refusal(std::move(nowhere)).field(), "backend");
  auto talk = submission("echo x");
  talk.backend = "other";
  talk.live = std::make_shared<LiveInput>();
  EXPECT_EQ(refusal(std::move(talk)).field(), "backend");  // it takes none
}

TEST_F(EngineTest, AJobStreamsEndsAndStaysInTheHistory) {
  make();
  auto what = submission("echo hello");
  what.request_id = "req-1";
  const auto job = start(std::move(what));
  EXPECT_TRUE(job.id.starts_with("exec_"));
  const auto end = job.watcher->wait();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(job.watcher->text(), "<start>hello");
  EXPECT_EQ(end->state, JobState::Done);
  EXPECT_EQ(end->result->execution_id, job.id);
  const auto found = engine_->find(job.id);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->result->stdout_data, "hello");
  EXPECT_EQ(found->caller, "a");
  EXPECT_EQ(found->request_id, "req-1");
  EXPECT_EQ(found->policy, "strict");
  EXPECT_EQ(found->code_hash.size(), 64U);
  EXPECT_TRUE(found->started && found->finished);
  const auto late = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(engine_->watch(job.id, late).has_value());
  EXPECT_EQ(late->text(), "<start>hello");
  EXPECT_TRUE(late->wait().has_value());
  EXPECT_EQ(engine_->find("exec_nobody").error().code(), ErrorCode::NotFound);
  EXPECT_EQ(engine_->watch("exec_nobody", late).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(engine_->cancel("exec_nobody").error().code(), ErrorCode::NotFound);
  EXPECT_TRUE(engine_->cancel(job.id).has_value());
}

TEST_F(EngineTest, ALateWatcherSeesWhatWasWrittenBefore) {
  make();
  const auto job = start("wait");
  ASSERT_TRUE(job.watcher->wait_for_text("waiting"));
  EXPECT_EQ(engine_->find(job.id)->state, JobState::Running);
  const auto late = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(engine_->watch(job.id, late).has_value());
  EXPECT_EQ(late->text(), "<start>waiting");
  executor_->release();
  EXPECT_EQ(late->wait()->result->status, ExecutionStatus::Success);
  EXPECT_EQ(late->text(), "<start>waiting");
}

TEST_F(EngineTest, WatchersHearWhatACompilerSaidFirst) {
  make();
  const auto job = start("warn");
  ASSERT_TRUE(job.watcher->wait().has_value());
  EXPECT_EQ(job.watcher->text(), "<start><unused>ran");
  const auto late = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(engine_->watch(job.id, late).has_value());
  EXPECT_EQ(late->text(), "<start><unused>ran");
}

TEST_F(EngineTest, AFailureOfTheBackendIsAnError) {
  make();
  const auto end = start("break").watcher->wait();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->state, JobState::Failed);
  EXPECT_EQ(end->error->code(), ErrorCode::Sandbox);
  EXPECT_THAT(
      metrics_->text(),
      HasSubstr("cove_executions_total{language=\"sh\",backend=\"fake\",status=\"error\"} 1"));
}

TEST_F(EngineTest, CancellingEndsRunningAndWaitingJobs) {
  options_.max_jobs = 1;
  make();
  const auto running = start("wait");
  ASSERT_TRUE(running.watcher->wait_for_text("waiting"));
  const auto waiting = start("echo never");
  EXPECT_EQ(engine_->find(waiting.id)->state, JobState::Queued);
  ASSERT_TRUE(engine_->cancel(waiting.id).has_value());
  EXPECT_EQ(waiting.watcher->wait()->result->status, ExecutionStatus::Cancelled);
  EXPECT_EQ(waiting.watcher->text(), "");
  ASSERT_TRUE(engine_->cancel(running.id).has_value());
  const auto end = running.watcher->wait();
  EXPECT_EQ(end->state, JobState::Done);
  EXPECT_EQ(end->result->status, ExecutionStatus::Cancelled);
  EXPECT_EQ(start("echo next").watcher->wait()->result->stdout_data, "next");
}

TEST_F(EngineTest, PastJobsAndQueueItIsBusy) {
  options_.max_jobs = 2;
  options_.max_queue = 1;
  make();
  std::vector<Job> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(start("wait"));
  const auto error = refusal(submission("wait"));
  EXPECT_EQ(error.code(), ErrorCode::Busy);
  EXPECT_THAT(error.message(), HasSubstr("2 jobs run and 1 wait"));
  EXPECT_GE(engine_->retry_after(), 1s);
  EXPECT_THAT(metrics_->text(), HasSubstr("cove_refusals_total{reason=\"queue_full\"} 1"));
  EXPECT_THAT(metrics_->text(), HasSubstr("cove_jobs_running 2\n"));
  EXPECT_THAT(metrics_->text(), HasSubstr("cove_jobs_queued 1\n"));
  for (std::size_t i = 0; i < 2; ++i) ASSERT_TRUE(jobs[i].watcher->wait_for_text("waiting"));
  executor_->release();
  for (const auto& job : jobs) EXPECT_TRUE(job.watcher->wait().has_value());
  EXPECT_EQ(executor_->peak(), 2);
}

TEST_F(EngineTest, APlaceIsFreeAsSoonAsTheEndIsKnown) {
  options_.max_jobs = 1;
  options_.max_queue = 0;
  make();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(start("echo x").watcher->wait().has_value());
}

TEST_F(EngineTest, AKeysRateIsItsOwn) {
  make();
  auto limited = submission("echo x", "slow");
  limited.caller.limits.rate = 0.2;
  start(limited);
  const auto error = refusal(limited);
  EXPECT_EQ(error.code(), ErrorCode::Busy);
  EXPECT_THAT(error.message(), HasSubstr("0.2 submissions a second"));
  EXPECT_EQ(engine_->retry_after_for("slow"), 5s);
  start("echo x", "other");
}

TEST_F(EngineTest, WhatAKeyDoesNotAllowIsForbidden) {
  make();
  auto what = submission("echo x");
  what.caller.limits.languages = {"python"};
  auto error = refusal(what);
  EXPECT_EQ(error.code(), ErrorCode::Forbidden);
  EXPECT_THAT(error.message(), HasSubstr("it allows python"));
  what = submission("echo x");
  what.caller.limits.policies = {"strict_js"};
  EXPECT_THAT(refusal(what).message(), HasSubstr("policy \"strict\"; it allows strict_js"));
  what.policy_name.clear();
  EXPECT_THAT(refusal(what).message(), HasSubstr("\"custom\""));
  what = submission("echo x");
  what.caller.limits.backends = {"docker"};
  EXPECT_EQ(refusal(what).code(), ErrorCode::Forbidden);
  EXPECT_THAT(refusal(what).message(), HasSubstr("it allows docker"));
  what = submission("echo x");
  what.caller.scopes = {Scope::Sessions};
  EXPECT_EQ(refusal(what).code(), ErrorCode::Forbidden);
}

TEST_F(EngineTest, BadRequestsAreRefusedAtOnce) {
  options_.resolve_language = [](std::string_view name) -> Result<std::string> {
    if (name == "bash") return "sh";
    return Err(Error(ErrorCode::UnsupportedLanguage, "there is only sh"));
  };
  make();
  auto what = submission("echo x");
  what.request.language = "cobol";
  EXPECT_EQ(refusal(what).message(), "there is only sh");
  what.request.language = "bash";
  what.request.files = {{"../x", "", {}}};
  EXPECT_EQ(refusal(what).code(), ErrorCode::InvalidRequest);
  what.request.files.clear();
  EXPECT_EQ(start(what).watcher->wait()->language, "sh");
}

TEST_F(EngineTest, TimeoutsHaveADefaultAndAMaximum) {
  options_.default_timeout = 7s;
  options_.max_timeout = 20s;
  make();
  const auto timeout_for = [&](std::optional<std::chrono::milliseconds> asked,
                               std::chrono::milliseconds policy) {
    auto what = submission("echo x");
    what.request.timeout = asked;
    what.request.policy.timeout = policy;
    start(std::move(what)).watcher->wait();
    return executor_->last_timeout();
  };
  EXPECT_EQ(timeout_for(std::nullopt, 30s), 7s);
  EXPECT_EQ(timeout_for(std::nullopt, 5s), 5s) << "a policy's own time";
  EXPECT_EQ(timeout_for(12s, 5s), 12s);
  EXPECT_EQ(timeout_for(500s, 30s), 20s);
  auto what = submission("echo x");
  what.request.timeout = 60s;
  what.notes = {"first"};
  const auto told = start(std::move(what)).watcher->wait();
  EXPECT_EQ(told->result->notes,
            (std::vector<std::string>{"first", "the timeout is 20 s, the most here, not 1 min"}));
  EXPECT_TRUE(start(submission("echo x")).watcher->wait()->result->notes.empty());
}

TEST_F(EngineTest, CompilingHasAMaximum) {
  options_.max_compile = 20s;
  make();
  const auto compile_timeout_for = [&](std::optional<std::chrono::milliseconds> asked) {
    auto what = submission("echo x");
    what.request.compile_timeout = asked;
    const auto told = start(std::move(what)).watcher->wait();
    const std::vector<std::string> lowered{"the compile timeout is 20 s, the most here, not 1 min"};
    EXPECT_EQ(told->result->notes, asked > 20s ? lowered : std::vector<std::string>());
    return executor_->last_compile_timeout();
  };
  EXPECT_EQ(compile_timeout_for(std::nullopt), 20s);
  EXPECT_EQ(compile_timeout_for(5s), 5s);
  EXPECT_EQ(compile_timeout_for(60s), 20s);
}

TEST_F(EngineTest, WhyItTakesLongIsToldOnceAlsoToThoseWhoComeLater) {
  make();
  const auto job = start("wait slowly");
  ASSERT_TRUE(job.watcher->wait_for_text("waiting"));
  const auto late = std::make_shared<RecordingWatcher>();
  ASSERT_TRUE(engine_->watch(job.id, late));
  EXPECT_EQ(late->text(), "<start><notice: slow>waiting");
  executor_->release();
  job.watcher->wait();
  EXPECT_EQ(job.watcher->text(), "<start><notice: slow>waiting");
}

TEST_F(EngineTest, OutputFilesAreKeptApart) {
  use_directory();
  make();
  const auto job = start("files");
  const auto end = job.watcher->wait();
  ASSERT_EQ(end->result->output_files.size(), 2U);
  EXPECT_FALSE(end->result->output_files[0].content.has_value());
  const auto file = engine_->file(job.id, "../b");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  EXPECT_EQ(file->content, "bye");
  EXPECT_EQ(engine_->file(job.id, "c").error().code(), ErrorCode::NotFound);
  EXPECT_TRUE(std::filesystem::exists(options_.data_dir + "/files/" + job.id + ".1"));
}

TEST_F(EngineTest, DrainingLetsJobsEndAndThenCancels) {
  make();
  const auto quick = start("echo x");
  EXPECT_TRUE(engine_->drain(10s));
  EXPECT_TRUE(quick.watcher->wait().has_value());
  EXPECT_FALSE(engine_->is_ready());
  EXPECT_EQ(refusal(submission("echo x")).code(), ErrorCode::BackendUnavailable);

  metrics_ = std::make_shared<Metrics>();
  options_.max_jobs = 1;
  make();
  const auto running = start("wait");
  const auto waiting = start("wait");
  EXPECT_FALSE(engine_->drain(20ms));
  for (const auto& job : {running, waiting}) {
    const auto end = job.watcher->wait();
    EXPECT_EQ(end->result->status, ExecutionStatus::Cancelled);
    EXPECT_EQ(end->result->notes, std::vector<std::string>{std::string(kServerStopping)});
  }
}

TEST_F(EngineTest, TheEndOfTheEngineEndsItsJobs) {
  make();
  const auto job = start("wait");
  engine_.reset();
  EXPECT_EQ(job.watcher->wait()->result->status, ExecutionStatus::Cancelled);
  EXPECT_EQ(executor_->running(), 0);
}

TEST_F(EngineTest, ManyCallersAtOnce) {
  options_.max_jobs = 4;
  options_.max_queue = 1000;
  make();
  std::vector<std::jthread> threads;
  std::atomic<int> done = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const auto job = start(i % 3 == 0 ? "wait" : "echo x", "caller" + std::to_string(t));
        if (i % 3 == 0) static_cast<void>(engine_->cancel(job.id));
        const auto late = std::make_shared<RecordingWatcher>();
        static_cast<void>(engine_->watch(job.id, late));
        static_cast<void>(engine_->list({"caller" + std::to_string(t), {}, 5, ""}));
        if (job.watcher->wait() && late->wait()) ++done;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(done, 400);
  EXPECT_LE(executor_->peak(), 4);
  EXPECT_EQ(engine_->list({"", JobState::Done, 1000, ""}).size(), 400U);
}

TEST_F(EngineTest, ARestartFindsHistoryFilesAndAudit) {
  use_directory();
  make();
  const auto job = start("files");
  ASSERT_TRUE(job.watcher->wait().has_value());
  ASSERT_TRUE(engine_->audit("cove", "server.stop", {{"reason", "test"}}).has_value());
  engine_.reset();
  metrics_ = std::make_shared<Metrics>();
  make();
  EXPECT_EQ(engine_->find(job.id)->state, JobState::Done);
  EXPECT_EQ(engine_->file(job.id, "a.txt")->content, "hello");
  EXPECT_TRUE(engine_->notes().empty());
  const auto verdict = verify_audit_log(options_.data_dir + "/audit.jsonl");
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->bad_line, 0U) << verdict->why;
  EXPECT_EQ(verdict->entries, 3U);
}

TEST_F(EngineTest, AFullDiskFailsNoJob) {
  use_directory();
  std::atomic<int> warnings = 0;
  options_.warn = [&](const std::string&) { ++warnings; };
  make();
  {
    const FullDisk full(1);
    for (int i = 0; i < 5; ++i) {
      const auto job = start("files");
      const auto end = job.watcher->wait();
      ASSERT_TRUE(end && end->state == JobState::Done);
      EXPECT_EQ(engine_->file(job.id, "a.txt").error().code(), ErrorCode::Gone);
      EXPECT_TRUE(engine_->find(job.id).has_value());
    }
    EXPECT_TRUE(engine_->is_ready());
    EXPECT_GE(engine_->notes().size(), 2U);
    EXPECT_THAT(metrics_->text(), HasSubstr("cove_audit_lost_total 10\n"));
  }
  const auto job = start("files");
  ASSERT_TRUE(job.watcher->wait().has_value());
  EXPECT_TRUE(engine_->file(job.id, "a.txt").has_value());
  for (int i = 0; i < 300 && !engine_->notes().empty(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(engine_->notes().empty());
  EXPECT_LE(warnings, 3) << "once each, not once a job";
}

TEST_F(EngineTest, ADataDirectoryBelongsToOneEngine) {
  use_directory();
  make();
  const auto second = Engine::create(options_, executor_, std::make_shared<Metrics>());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::Conflict);
}

}  // namespace
}  // namespace cove
