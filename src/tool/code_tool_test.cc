#include "tool/code_tool.h"

#include <gtest/gtest.h>

#include "base/data_dir.h"

namespace cove {
namespace {

// Remembers what it was asked to run.
class RecordingExecutor final : public CodeExecutor {
 public:
  using CodeExecutor::execute;
  std::string_view name() const override { return "recording"; }
  BackendCapabilities capabilities() const override { return {}; }
  bool supports_language(std::string_view language) const override {
    return language == "python" || language == "rust";
  }
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override {
    requests.push_back(request);
    if (fails) return Err(Error(ErrorCode::Sandbox, "step 3 failed"));
    ExecutionResult result;
    result.status =
        context.cancel.stop_requested() ? ExecutionStatus::Cancelled : ExecutionStatus::Success;
    result.exit_code = 0;
    return result;
  }

  std::vector<ExecutionRequest> requests;
  bool fails = false;
};

class CodeToolTest : public ::testing::Test {
 protected:
  CodeTool tool(CodeToolOptions options = {}) {
    return CodeTool(executor_, *RuntimeCatalog::load(*data_dir() + "/profiles"),
                    std::move(options));
  }
  static ToolContext granted(std::vector<std::string> scopes) {
    ToolContext context;
    context.scopes = std::move(scopes);
    return context;
  }

  std::shared_ptr<RecordingExecutor> executor_ = std::make_shared<RecordingExecutor>();
  const ToolContext all_ = granted({"code:execute", "code:execute:*"});
  const json::object python_{{"language", "python"}, {"code", "print(1)"}};
};

TEST_F(CodeToolTest, RunsWhatItIsGiven) {
  CodeToolOptions options;
  options.limits.memory = Bytes::mib(100);
  options.policy.name = "own";
  const json::object answer = tool(options).call(
      json::object{{"language", "py"}, {"code", "x"}, {"timeout_secs", 9999}, {"input", 1}}, all_);
  EXPECT_EQ(answer.at("status"), "success");
  ASSERT_EQ(executor_->requests.size(), 1U);
  const ExecutionRequest& request = executor_->requests.front();
  EXPECT_EQ(request.language, "python");
  EXPECT_EQ(request.timeout, std::chrono::seconds(300));
  EXPECT_EQ(request.limits.memory, Bytes::mib(100));
  EXPECT_EQ(request.policy.name, "own");
  EXPECT_EQ(request.input, json::value(1));
}

TEST_F(CodeToolTest, NothingRunsWithoutBothScopes) {
  for (const auto& scopes : std::vector<std::vector<std::string>>{
           {}, {"code:execute"}, {"code:execute:python"}, {"code:execute", "code:execute:rust"}}) {
    const json::object answer = tool().call(python_, granted(scopes));
    EXPECT_EQ(answer.at("status"), "error");
    EXPECT_EQ(answer.at("error").at("code"), "forbidden");
  }
  EXPECT_TRUE(executor_->requests.empty());
  // By the language's own name, whatever the call says.
  const json::object alias{{"language", "PY"}, {"code", "1"}};
  EXPECT_EQ(tool().call(alias, granted({"code:execute", "code:execute:python"})).at("status"),
            "success");
}

TEST_F(CodeToolTest, OffersOnlyWhatCanBeUsed) {
  EXPECT_EQ(tool().languages(), (std::vector<std::string>{"python", "rust"}));
  CodeToolOptions options;
  options.languages = {"python", "bash"};
  EXPECT_EQ(tool(options).languages(), std::vector<std::string>{"python"});
  const json::object answer =
      tool(options).call(json::object{{"language", "rust"}, {"code", ""}}, all_);
  EXPECT_EQ(answer.at("stderr"), "unsupported language \"rust\"; there are python");
  EXPECT_TRUE(executor_->requests.empty());
}

TEST_F(CodeToolTest, FailuresAreAnswers) {
  executor_->fails = true;
  const json::object answer = tool().call(python_, all_);
  EXPECT_EQ(answer.at("status"), "error");
  EXPECT_EQ(answer.at("stderr"), "step 3 failed");
  EXPECT_EQ(answer.at("error").at("code"), "sandbox");
  for (const json::value& odd : {json::value(), json::value("x"), json::value(json::array()),
                                 json::value(json::object{{"code", json::array()}})}) {
    EXPECT_EQ(tool().call(odd, all_).at("status"), "error");
  }
}

TEST_F(CodeToolTest, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  ToolContext context = all_;
  context.cancel = stop.get_token();
  EXPECT_EQ(tool().call(python_, context).at("stderr"), "cancelled");
}

TEST_F(CodeToolTest, DescribesItself) {
  const json::object shown = describe_tool(tool());
  EXPECT_EQ(shown.at("name"), "code_exec");
  EXPECT_EQ(shown.at("required_scopes"), json::array({"code:execute", "code:execute:<language>"}));
  EXPECT_EQ(shown.at("parameters").at("properties").at("language").at("enum"),
            json::array({"python", "rust"}));
}

}  // namespace
}  // namespace cove
