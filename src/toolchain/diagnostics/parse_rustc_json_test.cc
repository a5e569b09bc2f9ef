#include <gtest/gtest.h>

#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"

namespace cove {
namespace {

// rustc 1.95, without "rendered" and "explanation".
constexpr const char* kMismatch =
    R"({"$message_type":"diagnostic","message":"mismatched types","code":{"code":"E0308","explanation":null},)"
    R"("level":"error","spans":[{"file_name":"main.rs","byte_start":89,"byte_end":94,"line_start":4,)"
    R"("line_end":4,"column_start":18,"column_end":22,"is_primary":true,"text":[{"text":)"
    R"("    let s: i32 = \"\u00f6x\";","highlight_start":18,"highlight_end":22}],"label":)"
    R"("expected `i32`, found `&str`","suggested_replacement":null,"suggestion_applicability":null,)"
    R"("expansion":null}],"children":[{"message":"change the type","code":null,"level":"help","spans":)"
    R"([{"file_name":"main.rs","line_start":4,"line_end":4,"column_start":12,"column_end":15,)"
    R"("is_primary":true,"text":[],"label":null,"suggested_replacement":"&str"}],"children":[]},)"
    R"({"message":"see the book","code":null,"level":"note","spans":[],"children":[]}]})";
constexpr const char* kSum =
    R"({"$message_type":"diagnostic","message":"aborting due to 1 previous error","code":null,"level":"error","spans":[],"children":[]})";
constexpr const char* kExplain =
    R"({"$message_type":"diagnostic","message":"For more information about this error, try `rustc --explain E0308`.","code":null,"level":"failure-note","spans":[],"children":[]})";

TEST(RustcJson, ErrorWithSpanNoteAndSuggestion) {
  const auto found =
      parse_rustc_json(std::string(kMismatch) + "\nnot json\n{\n" + kSum + "\n" + kExplain + "\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].level, "error");
  EXPECT_EQ(found[0].message, "mismatched types");
  EXPECT_EQ(found[0].code, "E0308");
  ASSERT_EQ(found[0].spans.size(), 1U);
  const DiagnosticSpan& span = found[0].spans[0];
  EXPECT_EQ(span.file_name, "main.rs");
  EXPECT_EQ(span.line_start, 4U);
  EXPECT_EQ(span.column_start, 18U);
  EXPECT_EQ(span.column_end, 22U);
  EXPECT_EQ(span.label, "expected `i32`, found `&str`");
  ASSERT_EQ(span.text.size(), 1U);
  EXPECT_EQ(span.text[0].text, "    let s: i32 = \"öx\";");
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "see the book");
  ASSERT_EQ(found[0].suggestions.size(), 1U);
  EXPECT_EQ(found[0].suggestions[0].replacement, "&str");
  EXPECT_EQ(found[0].suggestions[0].span.column_start, 12U);
}

TEST(RustcJson, WhatSumsUpIsLeftOut) {
  EXPECT_TRUE(parse_rustc_json(R"({"message":"1 warning emitted","level":"warning","spans":[]})"
                               "\n"
                               R"({"message":"3 warnings emitted","level":"warning","spans":[]})"
                               "\n")
                  .empty());
}

TEST(RustcJson, OddOutputIsSkippedOrEmpty) {
  EXPECT_TRUE(parse_rustc_json("").empty());
  EXPECT_TRUE(parse_rustc_json("[1,2]\n{\"a\":1}\n\"x\"\n").empty());
  const auto found = parse_rustc_json(
      R"({"level":"error","message":7,"spans":[3,{"line_start":-4,"column_start":1e9}],"children":{}})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "");
  EXPECT_EQ(found[0].spans[1].line_start, 1U);
}

TEST(RustcJson, ManyAreCutAndDeepOnesRead) {
  std::string many;
  for (int i = 0; i < 5000; ++i) {
    many += R"({"level":"error","message":"m","spans":[]})";
    many += '\n';
  }
  EXPECT_EQ(parse_rustc_json(many).size(), DiagnosticList::kMostDiagnostics);
  // A recursive macro nests its expansions.
  std::string deep = R"({"level":"error","message":"m","spans":[{"file_name":"a","expansion":)";
  for (int i = 0; i < 200; ++i) deep += R"({"span":)";
  deep += "null" + std::string(200, '}') + "}]}";
  EXPECT_EQ(parse_rustc_json(deep).size(), 1U);
}

TEST(RustcJson, ALinkersErrorIsItsCause) {
  const auto found = parse_rustc_json(
      R"({"level":"error","message":"linking with `cc` failed: exit status: 1","spans":[],"children":[)"
      R"({"level":"note","message":"\"cc\" \"-m64\" \"/tmp/rustcX/symbols.o\"","spans":[]},)"
      R"({"level":"note","message":"mold: error: undefined symbol: nowhere\n>>> referenced by main.rs\n","spans":[]}]})"
      "\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "undefined symbol: nowhere");
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "referenced by main.rs");
}

}  // namespace
}  // namespace cove
