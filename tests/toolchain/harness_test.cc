// run(input) -> output, for each compiled language that has a harness.
#include <map>

#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

struct Harnessed {
  std::string language;
  std::string sum;  // prints "dbg" and gives {"sum": the sum of input.numbers, "text": input.text}
  std::string broken;  // an error on line 2 of the code as it is given
  std::string file;    // the name of that file
  std::string fails;   // run itself fails with "boom"
  std::string own_main;
  std::string says;  // what is said of that, to begin with
};

std::ostream& operator<<(std::ostream& out, const Harnessed& harnessed) {
  return out << harnessed.language;
}

const std::vector<Harnessed>& harnessed() {
  static const Harnessed cpp{
      "cpp",
      "#include <cstdio>\ncove::json run(const cove::json& input) {\n  std::puts(\"dbg\");\n"
      "  long sum = 0;\n  for (const auto& n : input[\"numbers\"]) sum += n.integer();\n"
      "  return {{\"sum\", sum}, {\"text\", input[\"text\"]}};\n}\n",
      "cove::json run(const cove::json& input) {\n  return missing;\n}\n",
      "main.cpp",
      "cove::json run(const cove::json&) { throw std::runtime_error(\"boom\"); }\n",
      "cove::json run(const cove::json& j) { return j; }\nint main() {}\n",
      "user code must not define `main()` — the harness provides it"};
  static const std::vector<Harnessed> all{
      cpp,
      {"rust",
       "fn run(input: Value) -> Value {\n    println!(\"dbg\");\n"
       "    let sum: i64 = input[\"numbers\"].as_array().unwrap().iter().map(|n| "
       "n.as_i64().unwrap()).sum();\n"
       "    serde_json::json!({\"sum\": sum, \"text\": input[\"text\"]})\n}\n",
       "fn run(input: serde_json::Value) -> serde_json::Value {\n    missing\n}\n", "main.rs",
       "fn run(_: Value) -> Value { panic!(\"boom\") }\n",
       "// fn main() is fine here\nfn run(i: Value) -> Value { i }\nfn main() {}\n",
       "user code must not define `fn main()` — the harness provides it"},
      {"go",
       "import \"fmt\"\n\ntype in struct {\n\tNumbers []int\n\tText    string\n}\n\n"
       "func run(i in) map[string]any {\n\tfmt.Println(\"dbg\")\n\tsum := 0\n"
       "\tfor _, n := range i.Numbers {\n\t\tsum += n\n\t}\n"
       "\treturn map[string]any{\"sum\": sum, \"text\": i.Text}\n}\n",
       "func run(i any) any {\n\treturn missing\n}\n", "main.go",
       "import \"errors\"\n\nfunc run(i any) (any, error) { return nil, errors.New(\"boom\") }\n",
       "package main\n\nfunc run(i any) any { return i }\n\nfunc main() {}\n",
       "user code must not define `func main()` — the harness provides it"},
      {"java",
       "import java.util.*;\nclass Sum {\n  static Object run(Map<String, Object> input) {\n"
       "    System.out.println(\"dbg\");\n    long sum = 0;\n"
       "    for (Object n : (List<?>) input.get(\"numbers\")) sum += (Long) n;\n"
       "    return Map.of(\"sum\", sum, \"text\", input.get(\"text\"));\n  }\n}\n",
       "class Broken {\n  static Object run(Object input) { return missing; }\n}\n", "Broken.java",
       "class A { static Object run(Object i) { throw new RuntimeException(\"boom\"); } }\n",
       "class A { static Object run(Object i) { return i; } public static void main(String[] a) {} "
       "}\n",
       "user code must not define `main` — the harness provides it"}};
  return all;
}

class Harness : public ::testing::TestWithParam<Harnessed> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam().language); !why.empty()) GTEST_SKIP() << why;
    executor_ = make_executor();
    const auto tried = executor_->execute(request(GetParam().sum));
    if (!tried && tried.error().code() == ErrorCode::DependencyNotFound) {
      GTEST_SKIP() << tried.error().message();
    }
  }
  static ExecutionRequest request(const std::string& code) {
    auto request = request_of(GetParam().language, code);
    request.input = json::parse(R"({"numbers":[1,2,39],"text":"é \"\n\u0001 😀"})");
    return request;
  }

  std::unique_ptr<CompilingExecutor> executor_;
};

TEST_P(Harness, GivesTheValueAndWhatWasPrinted) {
  const auto result = run(*executor_, request(GetParam().sum));
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  ASSERT_TRUE(result.output) << describe(result);
  EXPECT_EQ(*result.output, json::parse(R"({"sum":42,"text":"é \"\n\u0001 😀"})"))
      << describe(result);
  EXPECT_EQ(result.display_stdout, "dbg\n");
}

TEST_P(Harness, LinesAreThoseOfTheCodeAsItWasGiven) {
  const auto result = run(*executor_, request(GetParam().broken));
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  ASSERT_FALSE(result.diagnostics.empty());
  const auto& span = result.diagnostics[0].spans.at(0);
  EXPECT_EQ(span.file_name, GetParam().file);
  EXPECT_EQ(span.line_start, 2U);
  ASSERT_FALSE(span.text.empty());
  EXPECT_NE(span.text[0].text.find("missing"), std::string::npos) << describe(result);
  EXPECT_NE(result.diagnostics_text->find("missing"), std::string::npos);
}

TEST_P(Harness, ARunThatFailsHasNoValue) {
  const auto result = run(*executor_, request(GetParam().fails));
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_FALSE(result.output);
  EXPECT_NE(result.stderr_data.find("boom"), std::string::npos) << describe(result);
}

TEST_P(Harness, WhatItSuppliesIsRefused) {
  const auto result = executor_->execute(request(GetParam().own_main));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::InvalidCode);
  const std::string& said = result.error().message();
  EXPECT_TRUE(said.starts_with(GetParam().says + ". Provide only `")) << said;
  EXPECT_TRUE(said.ends_with("`; without `input` a whole program runs as it is")) << said;
}

INSTANTIATE_TEST_SUITE_P(Of, Harness, ::testing::ValuesIn(harnessed()),
                         [](const auto& harnessed) { return harnessed.param.language; });

TEST(RustHarness, CrateAttributesAreRefusedOthersNot) {
  if (const std::string why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  auto executor = make_executor();
  auto request = request_of("rust", "#![allow(dead_code)]\nfn run(i: Value) -> Value { i }\n");
  request.input = json::value(1);
  EXPECT_EQ(
      executor->execute(request).error().message(),
      "crate-level attributes (`#![...]`) are not supported in the harness body. Provide only "
      "`fn run(input: serde_json::Value) -> serde_json::Value`; without `input` a whole "
      "program runs as it is");
  request.code = "#[derive(Debug)]\nstruct P;\nfn run(i: Value) -> Value { dbg!(P); i }\n";
  const auto result = executor->execute(request);
  if (!result && result.error().code() == ErrorCode::DependencyNotFound) {
    GTEST_SKIP() << result.error().message();
  }
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->output, json::value(1)) << describe(*result);
}

// The harness learns the name from a variable, in which nothing is filled.
TEST(RustHarness, TheProgramMayBeCalledLikeAPlaceholder) {
  if (const std::string why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  auto request = request_of("rust", "fn run(i: Value) -> Value { i }\n");
  request.entry = "{guest}{tmp}.rs";
  request.input = json::value(5);
  const auto result = make_executor()->execute(request);
  if (!result && result.error().code() == ErrorCode::DependencyNotFound) {
    GTEST_SKIP() << result.error().message();
  }
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->output, json::value(5)) << describe(*result);
}

TEST(TypeScriptHarness, TypesAreGoneAndTheValueIsThere) {
  if (const std::string why = missing("typescript"); !why.empty()) GTEST_SKIP() << why;
  auto executor = make_executor();
  auto request =
      request_of("typescript",
                 "interface In { words: string[] }\nfunction run(i: In): { n: number } {\n"
                 "  console.log('dbg');\n  return { n: i.words.length };\n}\n");
  request.input = json::parse(R"({"words":["a","b"]})");
  const auto result = run(*executor, request);
  ASSERT_TRUE(result.output) << describe(result);
  EXPECT_EQ(*result.output, json::parse(R"({"n":2})"));
}

}  // namespace
}  // namespace cove::toolchain
