// The tool code_exec with real compilers (conformance case 14): every language, one shape.
#include "tool/code_tool.h"

#include <memory>

#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

class CodeExec : public ::testing::Test {
 protected:
  json::object call(json::object arguments) {
    ToolContext context;
    context.scopes = {"code:execute", "code:execute:*"};
    return tool_.call(std::move(arguments), context);
  }

  CodeTool tool_{make_executor(), host_catalog()};
};

TEST_F(CodeExec, RustIsTheLanguageOfCallsThatNameNone) {
  if (const auto why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  const json::object panics =
      call({{"code", "fn main() { println!(\"before\"); panic!(\"no\"); }"}});
  EXPECT_EQ(panics.at("status"), "success") << json::serialize(panics);
  EXPECT_EQ(panics.at("exit_code"), 101);
  EXPECT_EQ(panics.at("stdout"), "before\n");

  const json::object mismatch = call({{"code", "fn main() {\n    let n: i32 = \"a\";\n}\n"}});
  EXPECT_EQ(mismatch.at("status"), "compile_error") << json::serialize(mismatch);
  const json::object& first = mismatch.at("diagnostics").at(0).as_object();
  EXPECT_EQ(first.at("level"), "error");
  EXPECT_EQ(first.at("code"), "E0308");
  EXPECT_EQ(first.at("spans").at(0).at("line_start"), 2);
}

TEST_F(CodeExec, AHarnessRefusesWhatItSupplies) {
  if (const auto why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  const json::object answer = call({{"code", "fn main() {}"}, {"input", json::object()}});
  EXPECT_EQ(answer.at("status"), "error");
  EXPECT_EQ(answer.at("stderr"),
            "user code must not define `fn main()` — the harness provides it. Provide only `fn "
            "run(input: serde_json::Value) -> serde_json::Value`; without `input` a whole program "
            "runs as it is");
  EXPECT_EQ(answer.at("error").at("code"), "invalid_code");
}

// What a model needs to repair its program is its own line, not the header's.
TEST_F(CodeExec, AnErrorInATemplateNamesTheLineOfTheProgram) {
  const std::string code =
      "#include <algorithm>\n#include <vector>\nstruct Point { int x; };\nint main() {\n"
      "  std::vector<Point> v;\n  std::sort(v.begin(), v.end());\n}\n";
  for (const std::string language : {"cpp", "clang++"}) {
    if (!missing(language).empty()) continue;
    const json::object answer = call({{"language", language}, {"code", code}});
    ASSERT_EQ(answer.at("status"), "compile_error") << json::serialize(answer);
    const std::string text(answer.at("diagnostics_text").as_string());
    EXPECT_TRUE(text.starts_with("main.cpp:6:")) << text;
    EXPECT_NE(text.find("  6 |   std::sort(v.begin(), v.end());\n"), std::string::npos) << text;
    EXPECT_NE(text.find("^ required from here\n"), std::string::npos) << text;
    EXPECT_LT(text.size(), 9000U);
  }
}

struct Doubling {
  const char* language;
  const char* code;
};

// run(input) of {"n": 21} is 42, whatever it is written in.
class CodeExecHarness : public CodeExec, public ::testing::WithParamInterface<Doubling> {};

TEST_P(CodeExecHarness, GivesTheValue) {
  const auto& [language, code] = GetParam();
  if (const auto why = missing(language); !why.empty()) GTEST_SKIP() << why;
  const json::object answer =
      call({{"language", language}, {"code", code}, {"input", json::object{{"n", 21}}}});
  EXPECT_EQ(answer.at("status"), "success") << json::serialize(answer);
  EXPECT_EQ(answer.at("output"), 42) << json::serialize(answer);
}

INSTANTIATE_TEST_SUITE_P(
    Languages, CodeExecHarness,
    ::testing::Values(
        Doubling{"rust",
                 "fn run(input: Value) -> Value { (input[\"n\"].as_i64().unwrap() * 2).into() }"},
        Doubling{"cpp",
                 "cove::json run(const cove::json& input) { return input[\"n\"].integer() * 2; }"},
        Doubling{"python", "def run(input): return input['n'] * 2"},
        Doubling{"javascript", "function run(input) { return input.n * 2; }"}),
    [](const auto& each) { return std::string(each.param.language); });

}  // namespace
}  // namespace cove::toolchain
