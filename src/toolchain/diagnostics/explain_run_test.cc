#include "toolchain/diagnostics/explain_run.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

const RunContract kContract{
    "fn run(i: Value) -> Value", "a note", "rust", "main.rs", {"cove_harness.rs"}};

DiagnosticSpan span_at(const std::string& file, std::uint32_t line, std::string label = "") {
  DiagnosticSpan span;
  span.file_name = file;
  span.line_start = span.line_end = line;
  span.column_start = 4;
  span.label = std::move(label);
  return span;
}

Diagnostic said(const std::string& level, const std::string& message,
                std::vector<DiagnosticSpan> spans) {
  Diagnostic out;
  out.level = level;
  out.message = message;
  out.spans = std::move(spans);
  return out;
}

std::vector<Diagnostic> explained(std::vector<Diagnostic> diagnostics, const std::string& code) {
  const std::vector<ExecFile> files{{"main.rs", code, {}}};
  explain_run(diagnostics, kContract, files);
  return diagnostics;
}

TEST(ExplainRun, WhatIsSaidOfTheHarnessIsOneErrorAtTheProgramsRun) {
  const auto list =
      explained({said("warning", "unused", {span_at("main.rs", 1)}),
                 said("error", "mismatched types", {span_at("cove_harness.rs", 9, "expected i64")}),
                 said("error", "mismatched types", {span_at("cove_harness.rs", 9, "found i64")}),
                 said("warning", "of the harness", {span_at("cove_harness.rs", 3)}),
                 said("error", "of the program", {span_at("main.rs", 2)})},
                "// éé\nfn run(i: i64) -> i64 { x }\n");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].message, "unused");
  EXPECT_EQ(list[1].level, "error");
  EXPECT_EQ(list[1].code, "run-signature");
  EXPECT_EQ(list[1].message,
            "the harness cannot call this `run`: it must be `fn run(i: Value) -> Value`");
  ASSERT_EQ(list[1].spans.size(), 1U);
  EXPECT_EQ(list[1].spans[0].file_name, "main.rs");
  EXPECT_EQ(list[1].spans[0].line_start, 2U);
  EXPECT_EQ(list[1].spans[0].column_start, 4U);
  EXPECT_EQ(list[1].spans[0].column_end, 7U);
  ASSERT_EQ(list[1].spans[0].text.size(), 1U);
  ASSERT_EQ(list[1].notes.size(), 3U);
  EXPECT_EQ(list[1].notes[0].message, "a note");
  EXPECT_EQ(list[1].notes[1].message, "mismatched types: expected i64");
  EXPECT_EQ(list[1].notes[2].message, "mismatched types: found i64");
  EXPECT_EQ(list[2].message, "of the program");
}

TEST(ExplainRun, AProgramWithoutRunIsToldSo) {
  auto linker = said("error", "undefined symbol: run", {});
  linker.notes.push_back({"note", "referenced by main in cove_harness.rs", {}});
  const auto list = explained({linker}, "fn solve() {}\n");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].message,
            "the program has no `run`: the harness calls `fn run(i: Value) -> Value`");
  EXPECT_TRUE(list[0].spans.empty());
}

TEST(ExplainRun, OneThatIsInsideOfSomethingMustNotBe) {
  const auto list = explained({said("error", "cannot find", {span_at("cove_harness.rs", 9)})},
                              "mod a { pub fn run() {} }\n");
  EXPECT_TRUE(list.at(0).message.ends_with("` at the top level")) << list[0].message;
}

TEST(ExplainRun, AnErrorAtRunThatPointsToTheHarnessIsOneOfTheSignature) {
  auto at_run = said("error", "ambiguating new declaration", {span_at("main.rs", 1)});
  at_run.notes.push_back({"note", "old declaration", {span_at("cove_harness.rs", 2)}});
  auto elsewhere = at_run;
  elsewhere.spans = {span_at("main.rs", 2)};
  const auto list = explained({at_run, elsewhere}, "fn run() {}\nfn f() { run(1); }\n");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].code, "run-signature");
  // A wrong use of run stays what it is, without a place that nobody can look at.
  EXPECT_EQ(list[1].message, "ambiguating new declaration");
  EXPECT_TRUE(list[1].notes.empty());
}

TEST(ExplainRun, NothingElsePointsIntoTheHarness) {
  auto own = said("error", "redeclared", {span_at("main.rs", 1), span_at("cove_harness.rs", 4)});
  own.spans[1].is_primary = false;
  own.notes.push_back({"note", "./cove_harness.rs:10:2: other declaration", {}});
  own.notes.push_back({"help", "think", {}});
  own.suggestions.push_back({"write", span_at("cove_harness.rs", 4), "x"});
  const auto list = explained({own}, "struct X;\n");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].spans.size(), 1U);
  ASSERT_EQ(list[0].notes.size(), 1U);
  EXPECT_EQ(list[0].notes[0].message, "think");
  EXPECT_TRUE(list[0].suggestions.empty());
}

}  // namespace
}  // namespace cove
