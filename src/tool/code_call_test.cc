#include "tool/code_call.h"

#include <chrono>

#include <gtest/gtest.h>

#include "base/data_dir.h"
#include "base/parse_json.h"

namespace cove {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CodeCall : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = RuntimeCatalog::load(*data_dir() + "/profiles");
    ASSERT_TRUE(loaded) << loaded.error().message();
    catalog_ = *loaded;
  }

  Result<ExecutionRequest> decode(std::string_view text) {
    auto call = decode_code_call(*parse_json(text), catalog_, offer_);
    if (!call) return Err(call.error());
    notes_ = call->notes;
    return call->request;
  }
  std::string problem_of(std::string_view text) {
    const auto decoded = decode(text);
    return decoded ? "" : decoded.error().message();
  }

  RuntimeCatalog catalog_;
  CodeOffer offer_{.languages = [] { return std::vector<std::string>{"c", "rust"}; }};
  std::vector<std::string> notes_;  // of the last call
};

TEST_F(CodeCall, HasDefaults) {
  const auto call = decode(R"({"code": "fn main() {}"})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->language, "rust");
  EXPECT_EQ(call->timeout, seconds(30));
  EXPECT_FALSE(call->input);
  EXPECT_EQ(call->code, "fn main() {}");
}

TEST_F(CodeCall, ClampsTheTimeout) {
  const auto timeout = [this](std::string_view number) {
    return decode(R"({"code": "", "timeout_secs": )" + std::string(number) + "}")->timeout;
  };
  EXPECT_EQ(timeout("0"), seconds(1));
  EXPECT_EQ(timeout("-7"), seconds(1));
  EXPECT_EQ(timeout("1"), seconds(1));
  EXPECT_EQ(timeout("45.0"), seconds(45));
  EXPECT_EQ(timeout("9999"), seconds(300));
  EXPECT_EQ(timeout("1e300"), seconds(300));
  EXPECT_EQ(timeout("null"), seconds(30));
  EXPECT_TRUE(notes_.empty());
  timeout("-1");
  EXPECT_EQ(notes_, std::vector<std::string>{"timeout_secs is 1, the least here, not -1"});
  offer_.longest = seconds(20);
  EXPECT_EQ(timeout("null"), seconds(20));
  EXPECT_EQ(timeout("45"), seconds(20));
  EXPECT_EQ(notes_, std::vector<std::string>{"timeout_secs is 20, the most here, not 45"});
}

TEST_F(CodeCall, KnowsLanguagesByTheirAliases) {
  EXPECT_EQ(decode(R"({"code": "", "language": "py"})")->language, "python");
  EXPECT_EQ(decode(R"({"code": "", "language": "C++"})")->language, "cpp");
  const std::string unknown = problem_of(R"({"code": "", "language": "cobol"})");
  EXPECT_EQ(unknown, "unsupported language \"cobol\"; there are c, rust");
}

TEST_F(CodeCall, AnInputMayBeNull) {
  const auto with_null = decode(R"({"code": "", "input": null})");
  ASSERT_TRUE(with_null->input);
  EXPECT_TRUE(with_null->input->is_null());
  EXPECT_EQ(decode(R"({"code": "", "input": {"n": 1}})")->input->at("n"), 1);
}

TEST_F(CodeCall, SaysWhichArgumentIsWrong) {
  EXPECT_EQ(problem_of("{}"), "missing required field \"code\"");
  EXPECT_EQ(problem_of(R"({"code": null})"), "missing required field \"code\"");
  EXPECT_EQ(problem_of(R"({"code": 1})"), "field \"code\": must be a string, got a number");
  EXPECT_EQ(problem_of(R"({"code": "", "timeout_secs": "5"})"),
            "field \"timeout_secs\": must be a number, got a string");
  EXPECT_EQ(problem_of(R"({"code": "", "timeout_secs": 2.5})"),
            "field \"timeout_secs\": must be a whole number of seconds from 1 to 300, got 2.5");
  EXPECT_EQ(problem_of(R"({"code": "", "stdin": "x"})"),
            "field \"stdin\": is not known here; allowed: code, input, language, timeout_secs");
  EXPECT_EQ(problem_of("[]"), "the arguments: must be a JSON object, got an array");
}

TEST_F(CodeCall, TheSchemaListsWhatCanBeUsed) {
  const json::object schema = code_parameters(catalog_, offer_);
  const json::object& properties = schema.at("properties").get_object();
  EXPECT_EQ(properties.at("language").at("enum"), json::array({"c", "rust"}));
  EXPECT_EQ(properties.at("language").at("default"), "rust");
  EXPECT_EQ(properties.at("timeout_secs").at("maximum"), 300);
  EXPECT_EQ(schema.at("required"), json::array({"code"}));
  EXPECT_NE(
      std::string(properties.at("input").at("description").get_string())
          .find("in rust: fn run(input: serde_json::Value) -> serde_json::Value. Not possible "
                "in c."),
      std::string::npos);
  offer_.languages = [] { return std::vector<std::string>{"c"}; };
  offer_.longest = seconds(20);
  const json::object without = code_parameters(catalog_, offer_);
  EXPECT_EQ(without.at("properties").at("timeout_secs").at("maximum"), 20);
  EXPECT_EQ(without.at("properties").at("timeout_secs").at("default"), 20);
  EXPECT_EQ(without.at("required"), json::array({"code", "language"}));
  EXPECT_FALSE(without.at("properties").at("language").get_object().contains("default"));
}

ExecutionResult ended(ExecutionStatus status) {
  ExecutionResult result;
  result.status = status;
  result.stdout_data = "out";
  result.stderr_data = "err";
  result.duration = milliseconds(1500);
  return result;
}

TEST(CodeResult, ANonZeroExitIsASuccess) {
  ExecutionResult result = ended(ExecutionStatus::Failed);
  result.exit_code = 3;
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer, json::object({{"status", "success"},
                                  {"stdout", "out"},
                                  {"stderr", "err"},
                                  {"exit_code", 3},
                                  {"output", nullptr},
                                  {"diagnostics", json::array()},
                                  {"duration_ms", 1500}}));
}

TEST(CodeResult, OfAHarnessWithoutAValueIsAnErrorAndNoNull) {
  ExecutionResult result = ended(ExecutionStatus::Failed);
  result.exit_code = 0;
  result.notes = {"there is no value"};
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer.at("status"), "error");
  EXPECT_EQ(answer.at("stdout"), "out");
  EXPECT_EQ(answer.at("stderr"), "err\nthere is no value");
  EXPECT_EQ(answer.at("exit_code"), 0);
  EXPECT_FALSE(answer.contains("output"));
}

TEST(CodeResult, ASignalIsNamed) {
  ExecutionResult result = ended(ExecutionStatus::Failed);
  result.signal = "SIGSEGV";
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer.at("status"), "success");
  EXPECT_EQ(answer.at("exit_code"), -1);
  EXPECT_EQ(answer.at("signal"), "SIGSEGV");
}

TEST(CodeResult, OfAHarnessHasTheValueApart) {
  ExecutionResult result = ended(ExecutionStatus::Success);
  result.exit_code = 0;
  result.stdout_data = "shown\n{\"a\":1}\n";
  result.display_stdout = "shown\n";
  result.output = json::object{{"a", 1}};
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer.at("stdout"), "shown\n");
  EXPECT_EQ(answer.at("output").at("a"), 1);
}

TEST(CodeResult, ATimeoutKeepsWhatThereWas) {
  const json::object answer =
      encode_code_result(ended(ExecutionStatus::Timeout), {.timeout = seconds(30), .memory = {}});
  EXPECT_EQ(answer.at("status"), "timeout");
  EXPECT_EQ(answer.at("stdout"), "out");
  EXPECT_EQ(answer.at("stderr"), "err\nexecution timed out after 30s");
  EXPECT_EQ(answer.at("duration_ms"), 1500);
  ExecutionResult silent = ended(ExecutionStatus::Timeout);
  silent.stderr_data.clear();
  EXPECT_EQ(encode_code_result(silent, {.timeout = milliseconds(1500), .memory = {}}).at("stderr"),
            "execution timed out after 1.5s");
}

TEST(CodeResult, MemoryIsToldInMegabytes) {
  ExecutionResult result = ended(ExecutionStatus::Oom);
  result.stderr_data.clear();
  const json::object answer =
      encode_code_result(result, {.timeout = seconds(30), .memory = Bytes::mib(256)});
  EXPECT_EQ(answer.at("status"), "memory_exceeded");
  EXPECT_EQ(answer.at("stderr"), "memory limit exceeded: 256 MB");
}

TEST(CodeResult, ACompilerThatWasStoppedIsNotTheProgram) {
  ExecutionResult result = ended(ExecutionStatus::Timeout);
  result.stderr_data.clear();
  result.compile.emplace().steps.push_back({"build", seconds(60)});
  result.notes = {"the compiler was stopped: its step build takes at most 60s"};
  EXPECT_EQ(encode_code_result(result, {}).at("stderr"),
            "the compiler was stopped: its step build takes at most 60s");
  result.compile->steps.push_back({"run", seconds(30)});
  EXPECT_EQ(encode_code_result(result, {}).at("stderr"), "execution timed out after 30s");
}

TEST(CodeResult, ACompileErrorHasDiagnosticsAndTheirText) {
  ExecutionResult result = ended(ExecutionStatus::CompileFailed);
  result.diagnostics.push_back({.level = "error",
                                .message = "mismatched types",
                                .code = "E0308",
                                .spans = {},
                                .notes = {},
                                .suggestions = {}});
  result.diagnostics_text = "main.rs:1:1: error[E0308]: mismatched types\n";
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer.at("status"), "compile_error");
  EXPECT_EQ(answer.at("diagnostics").at(0).at("code"), "E0308");
  EXPECT_EQ(answer.at("diagnostics_text"), result.diagnostics_text->c_str());
  EXPECT_EQ(answer.at("stderr"), "err");
  EXPECT_FALSE(answer.contains("exit_code"));
}

TEST(CodeResult, CancelledLooksTheSameWhateverWasBeingDone) {
  ExecutionResult result = ended(ExecutionStatus::Cancelled);
  result.stderr_data.clear();
  result.compile.emplace();
  result.notes = {"cancelled while go was being prepared"};
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer.at("status"), "error");
  EXPECT_EQ(answer.at("stderr"), "cancelled");
  EXPECT_FALSE(answer.contains("error"));
  EXPECT_EQ(answer.at("notes").at(0), "cancelled while go was being prepared");
}

TEST_F(CodeCall, TheLanguageOfCallsThatNameNoneIsOneThatIsAllowed) {
  EXPECT_EQ(usual_language("rust", {}), "rust");
  EXPECT_EQ(usual_language("rust", {"c", "rust"}), "rust");
  EXPECT_EQ(usual_language("rust", {"python"}), "python");
  EXPECT_EQ(usual_language("rust", {"c", "python"}), "");
}

TEST(CodeResult, CancelledAndRejectedAreErrors) {
  EXPECT_EQ(encode_code_result(ended(ExecutionStatus::Cancelled), {}).at("stderr"),
            "err\ncancelled");
  EXPECT_EQ(encode_code_result(ended(ExecutionStatus::Rejected), {}).at("status"), "error");
}

TEST(CodeResult, OutputThatIsNoTextIsReplaced) {
  ExecutionResult result = ended(ExecutionStatus::Success);
  result.exit_code = 0;
  result.stdout_data = "\xff";
  result.stdout_truncated = true;
  const json::object answer = encode_code_result(result, {});
  EXPECT_EQ(answer.at("stdout"), "\uFFFD");
  EXPECT_EQ(answer.at("stdout_truncated"), true);
}

}  // namespace
}  // namespace cove
