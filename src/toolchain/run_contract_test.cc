#include "toolchain/run_contract.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

RunContract contract(const std::string& syntax, const std::string& entry) {
  return {"run", "", syntax, entry, {"cove_harness.x", "/harness/cpp/cove_run.hpp"}};
}

// "LINE:COLUMN/DEPTH" of the run that is found in a program.
std::string place(const std::string& syntax, const std::string& code) {
  const std::vector<ExecFile> files{{"main.x", code, {}}};
  const auto found = find_run(contract(syntax, "main.x"), files);
  if (!found) return "none";
  return std::to_string(found->line) + ":" + std::to_string(found->column) + "/" +
         std::to_string(found->depth);
}

TEST(FindRun, FindsTheDeclarationOfEachLanguage) {
  EXPECT_EQ(place("rust", "use std::io;\n\npub async fn run() {}\n"), "3:14/0");
  EXPECT_EQ(place("go", "func run(i any) any { return i }\n"), "1:6/0");
  EXPECT_EQ(place("go", "var run = 5\n"), "1:5/0");
  EXPECT_EQ(place("go", "func (s S) run(i any) {}\n"), "1:12/0");
  EXPECT_EQ(place("java", "class A {\n  static int[] run(Object o) {}\n}\n"), "2:16/1");
  EXPECT_EQ(place("c", "std::vector<int> run(int a) {}\n"), "1:18/0");
  EXPECT_EQ(place("c", "T* f();\nconst T& run();\n"), "2:10/0");
}

TEST(FindRun, PassesOverUsesCommentsAndStrings) {
  EXPECT_EQ(place("c", "// int run()\n/* int run() */ const char* s = \"int run()\";\n"), "none");
  EXPECT_EQ(place("c", "int f() { return run(1); }\nint g() { x.run(); a::run(); f(run); }\n"),
            "none");
  EXPECT_EQ(place("rust", "fn rerun() {}\nfn run_all() {}\nuse a::run;\n"), "none");
  EXPECT_EQ(place("go", "func f() { go run(); defer run() }\n"), "none");
}

TEST(FindRun, PrefersTheOutermostAndTheProgramsFile) {
  EXPECT_EQ(place("rust", "mod a { fn run() {} }\nfn run() {}\n"), "2:4/0");
  EXPECT_EQ(place("rust", "mod a { fn run() {} }\n"), "1:12/1");
  const std::vector<ExecFile> files{{"a.x", "fn run() {}\n", {}},
                                    {"cove_harness.x", "fn run() {}\n", {}},
                                    {"main.x", "\nfn run() {}\n", {}},
                                    {"notes.md", "a run\n", {}},
                                    {"z.x", "fn run() {}\n", {}}};
  EXPECT_EQ(find_run(contract("rust", "main.x"), files)->file_name, "main.x");
  EXPECT_EQ(find_run(contract("rust", "other.x"), files)->file_name, "a.x");
  EXPECT_FALSE(find_run(contract("rust", "main.y"), files));
}

TEST(RunContract, KnowsTheFilesOfTheHarness) {
  const auto known = contract("c", "main.x");
  EXPECT_TRUE(is_caller(known, "cove_harness.x"));
  EXPECT_TRUE(is_caller(known, "/run/cove/guest/harness/cpp/cove_run.hpp"));
  EXPECT_FALSE(is_caller(known, "cove_run.hpp"));
  EXPECT_FALSE(is_caller(known, "sub/cove_harness.x"));
  EXPECT_TRUE(names_caller(known, "referenced by main in cove_run.hpp"));
  EXPECT_FALSE(names_caller(known, "referenced by main in my_cove_run.hpp"));
}

}  // namespace
}  // namespace cove
