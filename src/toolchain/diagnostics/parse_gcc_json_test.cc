#include <gtest/gtest.h>

#include "toolchain/diagnostics/attach_source.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/linker_text.h"

namespace cove {
namespace {

// gcc 12.2.
constexpr const char* kSemicolon =
    R"([{"kind": "error", "column-origin": 1, "children": [{"kind": "note", "message": "here", "locations": )"
    R"([{"caret": {"byte-column": 3, "display-column": 3, "line": 9, "file": "a.h", "column": 3}}]}], "fixits": )"
    R"([{"next": {"byte-column": 22, "display-column": 22, "line": 1, "file": "./f.cpp", "column": 22}, "string": ";", )"
    R"("start": {"byte-column": 22, "display-column": 22, "line": 1, "file": "./f.cpp", "column": 22}}], "locations": )"
    R"([{"caret": {"byte-column": 22, "display-column": 22, "line": 1, "file": "./f.cpp", "column": 22}}, {"caret": )"
    R"({"byte-column": 23, "display-column": 23, "line": 1, "file": "./f.cpp", "column": 23}}], "message": )"
    R"("expected ';' before '}' token", "escape-source": false}, {"kind": "warning", "locations": [{"finish": )"
    R"({"byte-column": 28, "display-column": 27, "line": 2, "file": "f.cpp", "column": 28}, "caret": {"byte-column": )"
    R"(24, "display-column": 23, "line": 2, "file": "f.cpp", "column": 24}}], "column-origin": 1, "option": )"
    R"("-Wunused-variable", "children": [], "message": "unused variable 'spare'"}])";

TEST(GccJson, ErrorWarningNoteAndFix) {
  const auto found = parse_gcc_json(std::string(kSemicolon) + "\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].level, "error");
  EXPECT_EQ(found[0].spans[0].file_name, "f.cpp");
  EXPECT_EQ(found[0].spans[0].column_start, 22U);
  EXPECT_TRUE(found[0].spans[0].is_primary);
  EXPECT_FALSE(found[0].spans[1].is_primary);
  EXPECT_EQ(found[0].suggestions[0].replacement, ";");
  EXPECT_EQ(found[0].suggestions[0].span.column_end, 22U);
  EXPECT_EQ(found[0].notes[0].spans[0].file_name, "a.h");
  EXPECT_EQ(found[1].level, "warning");
  EXPECT_EQ(found[1].code, "-Wunused-variable");
  EXPECT_EQ(found[1].spans[0].column_start, 24U);
  EXPECT_EQ(found[1].spans[0].column_end, 29U);
}

TEST(GccJson, WhatIsInFrontOfACutStaysAndBracesInStringsDoNotCount) {
  const std::string whole(kSemicolon);
  EXPECT_EQ(parse_gcc_json(whole.substr(0, whole.size() - 40)).size(), 1U);
  EXPECT_EQ(parse_gcc_json(
                R"([{"kind":"error","message":"a } \" { b"},{"kind":"note","message":"n"}])")[0]
                .message,
            "a } \" { b");
  EXPECT_TRUE(parse_gcc_json("[{{{{{[[[\n[\n]").empty());
}

// As gcc 12 says it of `#import` of a file that is not there.
TEST(GccJson, AnErrorBehindAWarningIsOneOfItsOwn) {
  const auto found = parse_gcc_json(
      R"([{"kind": "warning", "message": "#import is deprecated", "locations": [],)"
      R"( "children": [{"kind": "note", "message": "n", "locations": []},)"
      R"( {"kind": "fatal error", "message": "/x: No such file", "locations": [)"
      R"({"caret": {"file": "a.c", "line": 1, "byte-column": 9, "column": 9}}]}]}])");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].level, "warning");
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "n");
  EXPECT_EQ(found[1].level, "error");
  EXPECT_EQ(found[1].message, "/x: No such file");
  EXPECT_EQ(found[1].spans.at(0).line_start, 1U);
}

TEST(GccJson, TheLinkersWords) {
  const auto found = parse_gcc_json(
      "[]\n"
      "/usr/bin/ld: /tmp/ccJkaMFz.o: in function `main':\n"
      "main.c:(.text+0x5): undefined reference to `foo'\n"
      "collect2: error: ld returned 1 exit status\n"
      "g++: fatal error: Killed signal terminated program cc1plus\n"
      "compilation terminated.\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].message, "undefined reference to `foo'");
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "referenced by main in main.c");
  EXPECT_EQ(found[1].message, "g++: fatal error: Killed signal terminated program cc1plus");
}

TEST(GccJson, TheLinkersPlacesWithoutTemporaryFiles) {
  const auto mold = parse_gcc_json(
      "mold: error: undefined symbol: nowhere\n>>> referenced by link.c\n"
      ">>>               /tmp/ccJ.o:(main)\n"
      "mold: error: duplicate symbol: /tmp/cc1.o: /tmp/cc2.o: a\n"
      "collect2: error: ld returned 1 exit status\n");
  ASSERT_EQ(mold.size(), 2U);
  EXPECT_EQ(mold[0].message, "undefined symbol: nowhere");
  ASSERT_EQ(mold[0].notes.size(), 1U);
  EXPECT_EQ(mold[0].notes[0].message, "referenced by main in link.c");
  EXPECT_EQ(mold[1].message, "duplicate symbol: a");
  const auto ld = parse_gcc_json(
      "/usr/bin/ld: /tmp/cc2.o: in function `a':\n"
      "b.c:(.text+0x0): multiple definition of `a'; /tmp/cc1.o:a.c:(.text+0x0): first defined "
      "here\n"
      "/usr/bin/ld: /tmp/cc3.o: in function `g':\n"
      "/workspace/c.c:7: undefined reference to `h'\n");
  ASSERT_EQ(ld.size(), 2U);
  EXPECT_EQ(ld[0].message, "multiple definition of `a'");
  ASSERT_EQ(ld[0].notes.size(), 2U);
  EXPECT_EQ(ld[0].notes[0].message, "defined in b.c");
  EXPECT_EQ(ld[0].notes[1].message, "first defined in a.c");
  ASSERT_EQ(ld[1].spans.size(), 1U);
  EXPECT_EQ(ld[1].spans[0].file_name, "c.c");
  EXPECT_EQ(ld[1].spans[0].line_start, 7U);
}

TEST(GccJson, ASourceOutsideOfTheProgramIsOnlyNamed) {
  const auto found = parse_gcc_json(
      "/usr/bin/ld: /tmp/cc1.o: in function `main':\n"
      "/usr/src/start.cpp:16: undefined reference to `run()'\n"
      "/usr/bin/ld: /tmp/cc1.o: undefined reference to `walk()'\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].spans.empty());
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "referenced by main in start.cpp");
  EXPECT_TRUE(found[1].notes.empty());
}

TEST(GccJson, WhereTheLinkerKnowsLinesTheSymbolIsMarked) {
  auto found = parse_gcc_json(
      "/workspace/b.cpp:1: multiple definition of `ns::twice(int)'; "
      "/tmp/cc1.o:/workspace/main.cpp:2: first defined here\n");
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "first defined here");
  const std::vector<ExecFile> files{
      {"b.cpp", "int ns::twice(int ö) { return 2 * ö; }\n", std::nullopt},
      {"main.cpp", "\n/* ö */ int twice1, ns::twice(int)\n", std::nullopt}};
  attach_source(found, files, ColumnUnit::Bytes);
  mark_symbols(found);
  EXPECT_EQ(found[0].spans[0].column_start, 9U);
  EXPECT_EQ(found[0].spans[0].column_end, 14U);
  ASSERT_EQ(found[0].notes[0].spans.size(), 1U);
  EXPECT_EQ(found[0].notes[0].spans[0].text[0].highlight_start, 25U);  // not in "twice1"
}

TEST(GccJson, WhatTheAssemblerFinds) {
  const auto found = parse_gcc_json(
      "[]\nmain.c: Assembler messages:\nmain.c:4: Error: no such instruction: `frob'\n"
      "main.c:5: Warning: 300 shortened to 44\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].message, "no such instruction: `frob'");
  EXPECT_TRUE(found[0].is_error());
  EXPECT_EQ(found[0].spans.at(0).line_start, 4U);
  EXPECT_EQ(found[1].level, "warning");
}

TEST(GccJson, AFileIsNamedWithoutDetours) {
  const auto found = parse_gcc_json(
      R"([{"kind": "error", "message": "x", "locations": [{"caret": {"file": )"
      R"("/usr/bin/../lib/gcc/12/../../../include/map", "line": 3, "column": 1}}]}])");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].spans[0].file_name, "/usr/include/map");
}

TEST(GccJson, ANoteThatOnlyFollowsBelongsToWhatIsInFront) {
  const auto list = parse_gcc_json(
      R"([{"kind": "error", "message": "ambiguating", "locations": [], "children": []}, )"
      R"({"kind": "note", "message": "old declaration", "locations": [{"caret": )"
      R"({"file": "a.hpp", "line": 7, "byte-column": 12}}], "children": []}])");
  ASSERT_EQ(list.size(), 1U);
  ASSERT_EQ(list[0].notes.size(), 1U);
  EXPECT_EQ(list[0].notes[0].message, "old declaration");
  EXPECT_EQ(list[0].notes[0].spans.at(0).line_start, 7U);
}

}  // namespace
}  // namespace cove
