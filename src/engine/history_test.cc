#include "engine/history.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random_id.h"
#include "engine/testing/full_disk.h"

namespace cove {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

JobRecord job(std::string id, JobState state = JobState::Done, std::string caller = "a") {
  JobRecord record;
  record.id = std::move(id);
  record.caller = std::move(caller);
  record.language = "sh";
  record.policy = "strict";
  record.code_hash = "00";
  record.state = state;
  record.created = std::chrono::system_clock::now();
  record.request_id = "req";
  record.traceparent = "00-1-2-01";
  if (state == JobState::Done) {
    ExecutionResult result;
    result.status = ExecutionStatus::Success;
    result.exit_code = 0;
    result.stdout_data = "out";
    result.output_files.push_back({"a.txt", Bytes{3}, "text/plain", false, std::nullopt});
    record.result = std::make_shared<const ExecutionResult>(std::move(result));
    record.finished = record.created;
  }
  return record;
}

std::string ids(const std::vector<JobRecord>& records) {
  std::string out;
  for (const auto& record : records) out += record.id + " ";
  return out;
}

class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(directory_); }
  void TearDown() override {
    history_.reset();
    std::filesystem::remove_all(directory_);
  }
  void open() {
    history_.reset();
    auto history = History::open(options_);
    ASSERT_TRUE(history.has_value()) << history.error().message();
    history_ = std::move(*history);
  }

  std::string directory_ = ::testing::TempDir() + random_id("cove_history_");
  HistoryOptions options_{directory_ + "/h.sqlite3", 3600s, Bytes::mib(64), {}, {}};
  std::unique_ptr<History> history_;
};

TEST_F(HistoryTest, IsTheSameBeforeAndAfterWritingAndAfterARestart) {
  open();
  auto failed = job("bad", JobState::Failed);
  failed.error = Error::invalid_field("files[0].name", "must not be absolute");
  history_->put(job("one"));
  history_->put(failed);
  for (int round = 0; round < 3; ++round) {
    const auto one = history_->find("one");
    ASSERT_TRUE(one.has_value()) << one.error().message();
    EXPECT_EQ(one->result->stdout_data, "out");
    EXPECT_EQ(one->result->output_files.at(0).name, "a.txt");
    EXPECT_EQ(one->request_id, "req");
    EXPECT_EQ(one->traceparent, "00-1-2-01");
    EXPECT_TRUE(one->finished.has_value());
    EXPECT_FALSE(one->started.has_value());
    const auto bad = history_->find("bad");
    ASSERT_TRUE(bad.has_value());
    EXPECT_EQ(bad->error->code(), ErrorCode::InvalidRequest);
    EXPECT_EQ(bad->error->field(), "files[0].name");
    EXPECT_EQ(bad->error->message(), failed.error->message());
    EXPECT_EQ(history_->find("two").error().code(), ErrorCode::NotFound);
    if (round == 0) {
      ASSERT_TRUE(history_->flush(10s));
    }
    if (round == 1) open();
  }
}

TEST_F(HistoryTest, ListsNewestFirstByCallerStateAndPage) {
  open();
  for (const auto* id : {"1", "2", "3"}) history_->put(job(id));
  history_->put(job("4", JobState::Running));
  ASSERT_TRUE(history_->flush(10s));
  history_->put(job("5", JobState::Queued, "b"));
  history_->put(job("4"));  // a newer state of what is stored
  EXPECT_EQ(ids(history_->list({})), "5 4 3 2 1 ");
  EXPECT_EQ(ids(history_->list({"a", {}, 2, ""})), "4 3 ");
  EXPECT_EQ(ids(history_->list({"a", {}, 2, "3"})), "2 1 ");
  EXPECT_EQ(ids(history_->list({"", JobState::Queued, 10, ""})), "5 ");
  EXPECT_EQ(ids(history_->list({"", JobState::Running, 10, ""})), "");
  EXPECT_EQ(ids(history_->list({"", JobState::Done, 10, "5"})), "4 3 2 1 ");
  EXPECT_EQ(ids(history_->list({"", {}, 10, "unknown"})), "");
}

TEST_F(HistoryTest, LongOutputIsStoredInPart) {
  open();
  auto record = job("long");
  auto result = *record.result;
  result.stdout_data = "x" + std::string(100'000, 'y');
  result.stderr_data = std::string(65'535, 'e') + "é";
  record.result = std::make_shared<const ExecutionResult>(result);
  history_->put(record);
  ASSERT_TRUE(history_->flush(10s));
  const auto found = history_->find("long");
  EXPECT_EQ(found->result->stdout_data.size(), 65'536U);
  EXPECT_TRUE(found->result->stdout_truncated);
  EXPECT_EQ(found->result->stderr_data.size(), 65'535U) << "no half character";
  EXPECT_TRUE(found->result->stderr_truncated);
}

TEST_F(HistoryTest, JobsOfADeadServerAreFailed) {
  open();
  history_->put(job("ran", JobState::Running));
  history_->put(job("waited", JobState::Queued));
  open();
  for (const auto* id : {"ran", "waited"}) {
    const auto found = history_->find(id);
    EXPECT_EQ(found->state, JobState::Failed);
    EXPECT_EQ(found->error->code(), ErrorCode::ExecutionFailed);
    EXPECT_THAT(found->error->message(), HasSubstr("the server ended"));
    EXPECT_TRUE(found->finished.has_value());
  }
}

TEST_F(HistoryTest, AKilledServerLeavesAConsistentHistory) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    auto history = History::open(options_);
    for (int i = 0; history && i < 1'000'000; ++i) {
      const std::string id = "j" + std::to_string(i);
      (*history)->put(job(id, JobState::Running));
      if (i % 2 == 0) (*history)->put(job(id));
      if (i == 200) (*history)->flush(20s);
      if (i == 200 && ::write(ready[1], "x", 1) != 1) break;
      std::this_thread::sleep_for(100us);
    }
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  std::this_thread::sleep_for(60ms);
  ::kill(server, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(server, &status, 0), server);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (const int fd : ready) ::close(fd);
  {
    auto database = SqliteDatabase::open(options_.path);
    ASSERT_TRUE(database.has_value());
    auto check = database->prepare("pragma integrity_check");
    ASSERT_TRUE(check->step().value());
    EXPECT_EQ(check->text(0), "ok");
  }
  open();
  EXPECT_TRUE(history_->list({"", JobState::Running, 1, ""}).empty());
  EXPECT_EQ(history_->find("j200")->state, JobState::Done);
  EXPECT_EQ(history_->find("j199")->error->code(), ErrorCode::ExecutionFailed);
  EXPECT_GE(history_->list({"", {}, 1000, ""}).size(), 201U);
}

TEST_F(HistoryTest, OldOnesExpireAndAreKnownAsGone) {
  options_.age = 3600s;
  open();
  auto old = job("old");
  old.created -= 2h;
  history_->put(old);
  history_->put(job("new"));
  ASSERT_TRUE(history_->flush(10s));
  open();  // prunes
  ASSERT_TRUE(history_->flush(10s));
  for (int i = 0; i < 500 && history_->find("old").has_value(); ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(history_->find("old").error().code(), ErrorCode::Gone);
  EXPECT_TRUE(history_->find("new").has_value());
}

TEST_F(HistoryTest, StaysWithinItsSize) {
  options_.bytes = Bytes::mib(2);
  open();
  auto record = job("x");
  auto result = *record.result;
  result.stdout_data = std::string(50'000, 'y');
  record.result = std::make_shared<const ExecutionResult>(result);
  for (int i = 0; i < 200; ++i) {
    record.id = "j" + std::to_string(i);
    history_->put(record);
    if (i % 20 == 19) {
      ASSERT_TRUE(history_->flush(10s));
    }
  }
  history_.reset();
  EXPECT_LE(std::filesystem::file_size(options_.path), 2U << 20U);
  open();
  EXPECT_TRUE(history_->find("j199").has_value());
  EXPECT_EQ(history_->find("j0").error().code(), ErrorCode::Gone);
}

TEST_F(HistoryTest, WhatWasDeletedDoesNotCrowdOutWhatIsNew) {
  options_.bytes = Bytes::kib(512);
  open();
  for (int i = 0; i < 12'000; ++i) {
    history_->put(job("exec_with_a_name_of_usual_length_" + std::to_string(i)));
    if (i % 1000 == 999) {
      ASSERT_TRUE(history_->flush(20s));
    }
  }
  open();  // prunes
  ASSERT_TRUE(history_->flush(20s));
  EXPECT_TRUE(history_->find("exec_with_a_name_of_usual_length_11999").has_value());
  // So long ago that not even its name is kept.
  const auto first = history_->find("exec_with_a_name_of_usual_length_1");
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().code(), ErrorCode::NotFound);
}

TEST_F(HistoryTest, AFullDiskLosesTheOldestAndRecovers) {
  std::atomic<std::size_t> lost = 0;
  std::atomic<int> problems = 0;
  options_.on_lost = [&](std::size_t count) { lost += count; };
  options_.on_problem = [&](const std::string&) { ++problems; };
  open();
  history_->put(job("before"));
  ASSERT_TRUE(history_->flush(10s));
  {
    const FullDisk full(1);
    for (std::size_t i = 0; i < History::kMaxPending + 10; ++i) {
      history_->put(job("j" + std::to_string(i)));
    }
    EXPECT_FALSE(history_->flush(1500ms));
    EXPECT_TRUE(history_->problem().has_value());
    EXPECT_EQ(problems, 1);
    const auto newest = history_->find("j" + std::to_string(History::kMaxPending + 9));
    EXPECT_TRUE(newest.has_value()) << "found although it is not written";
    EXPECT_GT(lost, 0U);
  }
  history_->put(job("after"));
  ASSERT_TRUE(history_->flush(10s));
  EXPECT_FALSE(history_->problem().has_value());
  open();
  for (const auto* id : {"before", "after"}) EXPECT_TRUE(history_->find(id).has_value()) << id;
  EXPECT_EQ(history_->find("j0").error().code(), ErrorCode::NotFound);
}

TEST_F(HistoryTest, AFileOfANewerVersionIsRefused) {
  open();
  history_.reset();
  {
    auto database = SqliteDatabase::open(options_.path);
    ASSERT_TRUE(database->execute("pragma user_version = 99"));
  }
  const auto history = History::open(options_);
  ASSERT_FALSE(history.has_value());
  EXPECT_THAT(history.error().message(), HasSubstr("format 99"));
}

TEST_F(HistoryTest, AFileThatIsNoDatabaseIsAnError) {
  options_.path = directory_;
  EXPECT_FALSE(History::open(options_).has_value());
}

}  // namespace
}  // namespace cove
