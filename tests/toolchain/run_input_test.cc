// What harnesses have in common, in every language that has one: what the program printed, numbers,
// and what is said of a run that cannot be called.
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

struct Language {
  std::string name;
  std::string identity;
  std::string prints;             // prints input.text as it is and gives 1
  std::string leaves;             // prints "left" and ends the process with 0
  bool has_only_doubles = false;  // numbers are what JavaScript has
};

std::ostream& operator<<(std::ostream& out, const Language& language) {
  return out << language.name;
}

const std::vector<Language>& languages() {
  static const std::vector<Language> all{
      {"python", "def run(i):\n    return i\n",
       "import sys\ndef run(i):\n    sys.stdout.write(i['text'])\n    return 1\n",
       "import os\ndef run(i):\n    os.write(1, b'left')\n    os._exit(0)\n"},
      {"javascript", "function run(i) { return i; }\n",
       "function run(i) { process.stdout.write(i.text); return 1; }\n",
       "function run(i) { process.stdout.write('left'); process.exit(0); }\n", true},
      {"typescript", "function run(i: any): any { return i; }\n",
       "function run(i: { text: string }): number { process.stdout.write(i.text); return 1; }\n",
       "function run(i: any): any { process.stdout.write('left'); process.exit(0); }\n", true},
      {"rust", "fn run(i: Value) -> Value { i }\n",
       "fn run(i: Value) -> Value { print!(\"{}\", i[\"text\"].as_str().unwrap()); "
       "Value::from(1) }\n",
       "fn run(_: Value) -> Value { print!(\"left\"); std::process::exit(0) }\n"},
      {"cpp", "cove::json run(const cove::json& i) { return i; }\n",
       "#include <iostream>\ncove::json run(const cove::json& i) {\n"
       "  std::cout << i[\"text\"].string();\n  return 1;\n}\n",
       "#include <cstdio>\n#include <cstdlib>\ncove::json run(const cove::json&) {\n"
       "  std::printf(\"left\");\n  std::exit(0);\n}\n"},
      {"go", "func run(i any) any { return i }\n",
       "import \"fmt\"\n\nfunc run(i map[string]any) any { fmt.Print(i[\"text\"]); return 1 }\n",
       "import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc run(i any) any { fmt.Print(\"left\"); os.Exit(0); "
       "return i }\n"},
      {"java", "class A { static Object run(Object i) { return i; } }\n",
       "import java.util.*;\nclass A {\n  static Object run(Map<String, Object> i) {\n"
       "    System.out.print(i.get(\"text\"));\n    return 1;\n  }\n}\n",
       "class A { static Object run(Object i) { System.out.print(\"left\"); System.exit(0); return "
       "i; "
       "} }\n"}};
  return all;
}

ExecutionRequest request_with(const std::string& language, const std::string& code,
                              json::value input) {
  auto request = request_of(language, code);
  request.input = std::move(input);
  return request;
}

// Empty: the harness can be used here.
std::string unusable(CompilingExecutor& executor, const std::string& language) {
  if (std::string why = missing(language); !why.empty()) return why;
  const std::string like = language == "clang++" ? "cpp" : language;
  const auto known = std::ranges::find(languages(), like, &Language::name);
  const auto tried = executor.execute(request_with(language, known->identity, 1));
  const bool lacks = !tried && tried.error().code() == ErrorCode::DependencyNotFound;
  return lacks ? tried.error().message() : "";
}

class RunInput : public ::testing::TestWithParam<Language> {
 protected:
  void SetUp() override {
    executor_ = make_executor();
    const std::string why = unusable(*executor_, GetParam().name);
    if (!why.empty()) GTEST_SKIP() << why;
  }
  ExecutionResult run_with(const std::string& code, json::value input) {
    return run(*executor_, request_with(GetParam().name, code, std::move(input)));
  }

  std::unique_ptr<CompilingExecutor> executor_;
};

TEST_P(RunInput, WhatWasPrintedIsKeptAsItIs) {
  for (const std::string text :
       {"", "a", "a\n", "a\n\n", "\n", "\n\n", "7", "a\nb", "é\r\n", " "}) {
    const auto result = run_with(GetParam().prints, {{"text", text}});
    EXPECT_EQ(result.display_stdout, text) << describe(result);
    EXPECT_EQ(result.stdout_data, text + "\n1\n");
    EXPECT_EQ(result.output, json::value(1));
  }
}

TEST_P(RunInput, AProgramThatLeavesBeforeItReturnsHasFailed) {
  const auto result = run_with(GetParam().leaves, 1);
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_FALSE(result.output);
  EXPECT_EQ(result.display_stdout, "left");
  // The harness of JavaScript notices it by itself.
  const bool noticed = result.stderr_data.contains("ended before run(input) returned a value");
  if (noticed) return;
  EXPECT_EQ(result.exit_code, 0);
  ASSERT_EQ(result.notes.size(), 1U) << describe(result);
  EXPECT_TRUE(result.notes[0].contains("ended before it returned one")) << result.notes[0];
}

TEST_P(RunInput, NumbersKeepTheirDigits) {
  const json::value numbers = json::parse(
      "[0, 1, -1, 9007199254740992, 9007199254740993, -9007199254740993, 9223372036854775807,"
      " -9223372036854775808, 9223372036854775808, 18446744073709551615, 0.1, 1e21, 1.5e300,"
      " 5e-324, 12345678901234567890123, [{\"n\": 9007199254740993}]]");
  const auto result = run_with(GetParam().identity, numbers);
  ASSERT_TRUE(result.output) << describe(result);
  if (!GetParam().has_only_doubles) {
    EXPECT_EQ(*result.output, numbers);
    return;
  }
  const json::array& got = result.output->as_array();
  ASSERT_EQ(got.size(), numbers.as_array().size());
  for (std::size_t i = 0; i + 1 < got.size(); ++i) {
    EXPECT_EQ(got[i].to_number<double>(), numbers.as_array()[i].to_number<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RunInput, ::testing::ValuesIn(languages()),
                         [](const auto& language) { return language.param.name; });

struct WrongRun {
  std::string code;
  std::uint32_t line;  // of its run; 0: it has none
  std::string note;    // of the compiler's words
};

const std::string kRust = "fn run(input: serde_json::Value) -> serde_json::Value";
const std::string kGo = "func run(input T) U";
const std::string kCpp = "cove::json run(const cove::json& input)";

class WrongSignature : public ::testing::Test {
 protected:
  // One error that says what run must be, where the program has it, and nothing of the harness.
  void expect_told(const std::string& language, const WrongRun& wrong,
                   const std::string& signature) {
    const auto result = run(*executor_, request_with(language, wrong.code, 1));
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
    const auto told = std::ranges::find(
        result.diagnostics, std::optional<std::string>("run-signature"), &Diagnostic::code);
    ASSERT_NE(told, result.diagnostics.end()) << describe(result);
    EXPECT_EQ(std::ranges::count_if(result.diagnostics, &Diagnostic::is_error), 1);
    EXPECT_TRUE(told->message.contains("`" + signature + "`")) << told->message;
    EXPECT_EQ(told->spans.size(), wrong.line == 0 ? 0U : 1U) << describe(result);
    if (!told->spans.empty()) {
      EXPECT_TRUE(told->spans[0].file_name.starts_with("main."));
      EXPECT_EQ(told->spans[0].line_start, wrong.line);
      EXPECT_TRUE(told->spans[0].text.at(0).text.contains("run"));
    }
    EXPECT_TRUE(std::ranges::any_of(told->notes, [&](const DiagnosticNote& note) {
      return note.message.contains(wrong.note);
    })) << describe(result);
    EXPECT_FALSE(result.stderr_data.contains("cove_harness.rs:")) << result.stderr_data;
    EXPECT_FALSE(result.stderr_data.contains("cove_run.hpp")) << result.stderr_data;
  }
  void expect_all_told(const std::string& language, const std::string& signature,
                       const std::vector<WrongRun>& wrong) {
    if (const std::string why = unusable(*executor_, language); !why.empty()) GTEST_SKIP() << why;
    for (const WrongRun& each : wrong) {
      SCOPED_TRACE(each.code);
      expect_told(language, each, signature);
    }
  }
  // Of languages that know at run time.
  void expect_said(const std::string& language, const std::string& code, const std::string& words) {
    if (!missing(language).empty()) return;
    const auto result = run(*executor_, request_with(language, code, 1));
    EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
    EXPECT_EQ(result.stderr_data, words + "\n") << code;
    EXPECT_FALSE(result.output);
  }

  std::unique_ptr<CompilingExecutor> executor_ = make_executor();
};

TEST_F(WrongSignature, OfRust) {
  expect_all_told(
      "rust", kRust,
      {{"// fn run\nfn run(input: i64) -> i64 {\n    input\n}\n", 2,
        "mismatched types: expected `i64`, found "},
       {"fn run(input: Value) {\n    println!(\"{}\", input);\n}\n", 1, "found `()`"},
       {"\n\nfn run() -> Value {\n    Value::Null\n}\n", 3, "takes 0 arguments"},
       {"async fn run(input: Value) -> Value {\n    input\n}\n", 1, "mismatched types: expected "},
       {"mod a {\n    pub fn run(i: super::Value) -> super::Value { i }\n}\n", 2,
        "cannot find function `run`"},
       {"fn solve(input: Value) -> Value {\n    input\n}\n", 0, "cannot find function `run`"}});
}

TEST_F(WrongSignature, OfGo) {
  expect_all_told(
      "go", kGo,
      {{"func solve(i any) any { return i }\n", 0, "undefined: run"},
       {"type S struct{}\n\nfunc (s S) run(i any) any { return i }\n", 3, "undefined: run"},
       {"type run struct{}\n", 1, "run (type) is not an expression"},
       {"package other\n\nfunc Run(i any) any { return i }\n", 0, "undefined: run"}});
  const std::string must =
      "the harness cannot call this `run`: it must be `func run(input T) U` or `func run(input T) "
      "(U, error)`";
  expect_said("go", "var run = 5\n", must);
  for (const char* run :
       {"func run(i any) {}", "func run() any { return 1 }",
        "func run(i any) (any, any) { return i, i }", "func run(i any) error { return nil }",
        "func run(i ...any) any { return i }"}) {
    expect_said("go", std::string("\n") + run + "\n", "main.go:2: " + must);
  }
}

TEST_F(WrongSignature, OfCpp) {
  for (const std::string language : {"cpp", "clang++"}) {
    expect_all_told(language, kCpp,
                    {{"cove::json solve(const cove::json& i) { return i; }\n", 0, "run(cove::json"},
                     // The same symbol: a linker would take it.
                     {"// int\nint run(const cove::json& i) { return 1; }\n", 2, ""},
                     {"static cove::json run(const cove::json& i) { return i; }\n", 1, "static"},
                     {"int x;\ncove::json run(cove::json i) { return i; }\n", 2, "run(cove::json"},
                     {"namespace x {\ncove::json run(const cove::json& i) { return i; }\n}\n", 2,
                      "run(cove::json"}});
  }
}

TEST_F(WrongSignature, OfJava) {
  const std::string signature = "`static Object run(Object input)`";
  expect_said("java", "class A { static Object solve(Object i) { return i; } }\n",
              "class A has no method " + signature + ", which the harness calls");
  expect_said("java", "// nothing\n",
              "the program has no class with a method " + signature + ", which the harness calls");
  for (const auto& [method, wrong] : std::vector<std::pair<std::string, std::string>>{
           {"Object run(Object i) { return i; }", "is not static"},
           {"static void run(Object i) {}", "returns nothing (void)"},
           {"static Object run() { return 1; }", "takes no argument"},
           {"static Object run(Object i, int n) { return i; }", "takes 2 arguments"},
           {"public void run() {}", "is not static, takes no argument, returns nothing (void)"}}) {
    expect_said(
        "java", "class A { " + method + " }\n",
        "the harness cannot call `run` of class A, which " + wrong + ": it must be " + signature);
  }
}

// The one way to take an object apart is no mistake to be warned of.
TEST_F(WrongSignature, IsNotAnUncheckedCastOfJava) {
  if (const std::string why = missing("java"); !why.empty()) GTEST_SKIP() << why;
  const auto result =
      run(*executor_,
          request_with("java",
                       "import java.util.*;\nclass A {\n  static Object run(Object input) {\n"
                       "    Map<String, Object> m = (Map<String, Object>) input;\n"
                       "    return m.get(\"n\");\n  }\n}\n",
                       {{"n", 7}}));
  EXPECT_EQ(result.output, json::value(7)) << describe(result);
  EXPECT_TRUE(result.diagnostics.empty()) << describe(result);
}

TEST_F(WrongSignature, OfInterpretedLanguages) {
  expect_said("python", "def solve(i):\n    return i\n",
              "/code/main.py: the program has no `run`: the harness calls `def run(input)`");
  expect_said("python", "run = 5\n",
              "/code/main.py: the harness cannot call this `run`, of type int: it must be `def "
              "run(input)`");
  for (const auto& [language, extension, signature] :
       {std::tuple{"javascript", "js", "function run(input)"},
        {"typescript", "ts", "function run(input: any): any"}}) {
    const std::string program = std::string("/code/main.") + extension;
    expect_said(language, "const solve = 1;\n",
                program + ": the program has no `run`: the harness calls `" + signature +
                    "`; on bun and deno, and in an ES module, it must be exported");
    expect_said(language, "const run = 5;\n",
                program + ": the harness cannot call this `run`, of type number: it must be `" +
                    signature + "`");
  }
}

// Names that harnesses use are the program's all the same.
TEST_F(WrongSignature, IsNotWhatAProgramsOwnNamesAre) {
  const std::vector<std::pair<std::string, std::string>> programs{
      {"java", "class Character {}\nclass A { static Object run(Object i) { return 1; } }\n"},
      {"go", "func reflect(i any) any { return i }\n\nfunc run(i any) any { return reflect(i) }\n"},
      {"rust", "mod std {}\nfn main_of() {}\nfn run(i: Value) -> Value { main_of(); i }\n"}};
  for (const auto& [language, code] : programs) {
    if (!unusable(*executor_, language).empty()) continue;
    const auto result = run(*executor_, request_with(language, code, 1));
    EXPECT_EQ(result.output, json::value(1)) << describe(result);
  }
}

}  // namespace
}  // namespace cove::toolchain
