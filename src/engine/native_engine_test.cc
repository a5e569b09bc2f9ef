// The engine with the real backend: what only shows when programs run.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/data_dir.h"
#include "base/random_id.h"
#include "engine/engine.h"
#include "engine/testing/recording_watcher.h"
#include "executor/native/native_executor.h"

namespace cove {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class NativeEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto data = data_dir();
    ASSERT_TRUE(data.has_value()) << data.error().message();
    auto catalog = RuntimeCatalog::load(*data + "/profiles");
    ASSERT_TRUE(catalog.has_value()) << catalog.error().message();
    EngineOptions options;
    options.data_dir = directory_;
    options.resolve_language = [catalog = *catalog](std::string_view name) -> Result<std::string> {
      COVE_ASSIGN(const auto runtime, catalog.find(name));
      return runtime.profile.name;
    };
    auto executor = NativeExecutor::create(std::move(*catalog));
    ASSERT_TRUE(executor.has_value()) << executor.error().message();
    auto engine = Engine::create(options, std::move(*executor), metrics_);
    ASSERT_TRUE(engine.has_value()) << engine.error().message();
    engine_ = std::move(*engine);
  }
  void TearDown() override {
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }
  std::string start(std::string code, const std::shared_ptr<RecordingWatcher>& watcher) {
    Submission what;
    what.request.code = std::move(code);
    what.request.language = "sh";
    what.policy_name = "strict";
    what.caller = {"a", {Scope::Execute}, {}};
    const auto id = engine_->submit(std::move(what), watcher);
    EXPECT_TRUE(id.has_value()) << id.error().message();
    return id.value_or("");
  }

  std::string directory_ = ::testing::TempDir() + random_id("cove_native_");
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(NativeEngineTest, RunsAProgramAndKeepsItsFiles) {
  const auto watcher = std::make_shared<RecordingWatcher>();
  const auto id = start("echo out; echo err >&2; printf '\\001data' > made.bin; exit 3", watcher);
  const auto end = watcher->wait();
  ASSERT_TRUE(end.has_value());
  ASSERT_TRUE(end->result) << (end->error ? end->error->message() : "");
  EXPECT_EQ(end->state, JobState::Done);
  EXPECT_EQ(end->result->exit_code, 3);
  EXPECT_EQ(end->result->execution_id, id);
  EXPECT_THAT(watcher->text(), HasSubstr("out\n"));
  EXPECT_THAT(watcher->text(), HasSubstr("<err>err\n"));
  const auto file = engine_->file(id, "made.bin");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  EXPECT_EQ(file->content, "\001data");
  EXPECT_THAT(metrics_->text(),
              HasSubstr("cove_executions_total{language=\"sh\",backend=\"native\","
                        "status=\"failed\"} 1"));
}

TEST_F(NativeEngineTest, CancellingEndsTheProgram) {
  const auto watcher = std::make_shared<RecordingWatcher>();
  const auto id = start("echo up; sleep 60", watcher);
  ASSERT_TRUE(watcher->wait_for_text("up"));
  const auto asked = std::chrono::steady_clock::now();
  ASSERT_TRUE(engine_->cancel(id).has_value());
  const auto end = watcher->wait();
  ASSERT_TRUE(end && end->result);
  EXPECT_EQ(end->result->status, ExecutionStatus::Cancelled);
  EXPECT_EQ(end->result->stdout_data, "up\n");
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 5s);
}

}  // namespace
}  // namespace cove
