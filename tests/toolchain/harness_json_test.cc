// How programs of harnesses read and make JSON.
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

class HarnessJson : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
    executor_ = make_executor();
  }
  ExecutionResult run_with(const std::string& code, const std::string& input) {
    auto request = request_of(GetParam(), code);
    request.input = json::parse(input);
    return run(*executor_, request);
  }
  // The value, and nothing that the compiler has to say.
  void expect_value(const std::string& code, const std::string& input, const std::string& output) {
    const auto result = run_with(code, input);
    EXPECT_EQ(result.output, json::parse(output)) << describe(result);
    EXPECT_TRUE(result.diagnostics.empty()) << describe(result);
  }

  std::unique_ptr<CompilingExecutor> executor_;
};

class CppJson : public HarnessJson {
 protected:
  void expect_thrown(const std::string& expression, const std::string& words) {
    const auto result =
        run_with("json run(const json& input) {\n  return " + expression + ";\n}\n",
                 R"({"a": [1, 2], "big": 18446744073709551615, "yes": true, "text": "é"})");
    EXPECT_EQ(result.stderr_data, "run(input) failed: " + words + "\n") << expression;
  }
};

TEST_P(CppJson, IsReadByType) {
  expect_value(
      "#include <set>\n#include <unordered_map>\n"
      "cove::json run(const cove::json& input) {\n"
      "  const auto rows = input.at(\"rows\").get<std::vector<std::vector<int>>>();\n"
      "  const auto ages = input[\"ages\"].get<std::map<std::string, double>>();\n"
      "  const auto same = input[\"ages\"].get<std::unordered_map<std::string, cove::json>>();\n"
      "  const auto flags = input[\"flags\"].get<std::vector<bool>>();\n"
      "  const auto bytes = input[\"rows\"].at(0).get<std::set<unsigned char>>();\n"
      "  cove::json out;\n"
      "  out[\"rows\"] = rows;\n  out[\"ages\"] = ages;\n  out[\"same\"] = same.size();\n"
      "  out[\"flags\"] = flags.size();\n  out[\"bytes\"] = bytes.size();\n"
      "  out[\"name\"] = input[\"name\"].get<std::string>() + \"!\";\n"
      "  out[\"half\"] = input[\"half\"].get<int>();\n"
      "  out.at(\"rows\").at(1).at(0) = 7;\n"
      "  return out;\n}\n",
      R"({"rows": [[1, 2], [3]], "ages": {"x": 1.5, "y": 2}, "flags": [true, false], "name": "n",
          "half": -2.5})",
      R"({"rows": [[1, 2], [7]], "ages": {"x": 1.5, "y": 2}, "same": 2, "flags": 2, "bytes": 2,
          "name": "n!", "half": -2})");
}

TEST_P(CppJson, HasFallbacksAndKnowsWhatIsEmpty) {
  expect_value(
      "json run(const json& input) {\n"
      "  std::vector<bool> empty;\n"
      "  for (const auto& [name, member] : input.members()) empty.push_back(member.empty());\n"
      "  json out = json::array();\n"
      "  for (const bool each : empty) out.push_back(each);\n"
      "  return {input.value(\"a\", 0), input.value(\"z\", 9), input.value(\"b\", 9),\n"
      "          input.value(\"z\", \"text\"), input.value(\"e\", std::string(\"x\")),\n"
      "          input.value(\"z\", json{{\"k\", 1}}), out};\n}\n",
      R"({"a": 1, "b": null, "c": [], "d": {}, "e": "", "f": "x", "g": false, "h": [0]})",
      R"([1, 9, 9, "text", "", {"k": 1}, [false, true, true, true, true, false, false, false]])");
}

// A program may say itself that json is cove::json, or mean something else by it.
TEST_P(CppJson, HasAShortName) {
  for (const char* own :
       {"", "using json = cove::json;\n", "using cove::json;\n", "using namespace cove;\n"}) {
    expect_value(std::string(own) + "json run(const json& input) { return input; }\n", "[1]",
                 "[1]");
  }
  expect_value("int json = 5;\ncove::json run(const cove::json&) { return json; }\n", "1", "5");
}

TEST_P(CppJson, SaysWhatWasThereAndWhatWasAskedFor) {
  expect_thrown("input[\"a\"].get<std::string>()",
                "a string was asked for, but the value is the array [1,2]");
  expect_thrown("input[\"a\"].get<std::vector<std::string>>()",
                "a string was asked for, but the value is the number 1");
  expect_thrown("input[\"yes\"].get<int>()", "a number was asked for, but the value is true");
  expect_thrown("input[\"text\"].get<bool>()",
                "true or false was asked for, but the value is the string \"é\"");
  expect_thrown("input[\"no\"].get<double>()",
                "a number was asked for, but the value is null, as an absent member is");
  expect_thrown("json::object().items().size()",
                "an array was asked for, but the value is the object {} (members() has an "
                "object's)");
  expect_thrown("input[\"big\"].get<long>()",
                "18446744073709551615 does not fit into 64 bits with a sign");
  expect_thrown("json(-1).get<std::uint8_t>()", "-1 does not fit into 8 bits without a sign");
  expect_thrown("json(2147483648.5).get<int>()",
                "2147483648.5 does not fit into 32 bits with a sign");
  expect_thrown("input.at(\"zz\")",
                "an object has no member \"zz\": it has \"a\", \"big\", \"text\", \"yes\"");
  expect_thrown("input[\"a\"].at(2)", "an array of 2 has no item 2");
  expect_thrown("input[\"a\"][-1]", "an array of 2 has no item -1");
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  return info.param == "clang++" ? "clangxx" : info.param;
}
INSTANTIATE_TEST_SUITE_P(Of, CppJson, ::testing::Values("cpp", "cpp20", "clang++"), name_of);

using RustJson = HarnessJson;

TEST_P(RustJson, IsThereWithoutUse) {
  const auto tried = executor_->execute([] {
    auto request = request_of("rust", "fn run(i: Value) -> Value { i }\n");
    request.input = json::value(1);
    return request;
  }());
  if (!tried && tried.error().code() == ErrorCode::DependencyNotFound) {
    GTEST_SKIP() << tried.error().message();
  }
  for (const char* own : {"", "use serde_json::{json, Value};\n", "use serde_json::json;\n",
                          "use serde_json::Value;\n"}) {
    expect_value(std::string(own) + "fn run(i: Value) -> Value {\n    json!({\"got\": i})\n}\n",
                 "[1]", R"({"got": [1]})");
  }
  expect_value(
      "macro_rules! json {\n    () => { Value::from(5) };\n}\n"
      "fn run(_: Value) -> Value {\n    json!()\n}\n",
      "1", "5");
  expect_value(
      "use serde::Serialize;\nfn to<T: Serialize>(t: T) -> Value {\n"
      "    serde_json::to_value(t).unwrap()\n}\n"
      "fn run(i: Value) -> Value {\n    to(vec![i, json!(2)])\n}\n",
      "1", "[1, 2]");
}

INSTANTIATE_TEST_SUITE_P(Of, RustJson, ::testing::Values("rust"), name_of);

}  // namespace
}  // namespace cove::toolchain
