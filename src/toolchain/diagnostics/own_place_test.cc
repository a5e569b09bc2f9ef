#include "toolchain/diagnostics/own_place.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

const std::string kHeader = "/usr/include/c++/12/bits/stl_function.h";

Diagnostic in_header(std::string message, std::uint32_t line = 408) {
  Diagnostic out;
  out.level = "error";
  out.message = std::move(message);
  out.spans = {{kHeader, line, line, 16, 20, true, "", {}}};
  return out;
}

// g++ 12, shortened.
const std::string kText = kHeader + ": In instantiation of ‘std::less<Point>’:\n" +
                          "/usr/include/c++/12/bits/stl_map.h:529:32:   required from ‘x’\n"
                          "main.cpp:2:4:   required from here\n" +
                          kHeader + ":408:20: error: no match for ‘operator<’ [-fpermissive]\n" +
                          "  408 |  return __x < __y;\n" + kHeader +
                          ":500:1: error: without a place\n";

TEST(OwnPlace, OfGccComesFromItsText) {
  std::vector<Diagnostic> found{in_header("no match for ‘operator<’"),
                                in_header("without a place", 500)};
  EXPECT_TRUE(has_foreign_error(found));
  const std::vector<ExecFile> files{{"main.cpp", "int a;\nö  m[k] = 3;\n", std::nullopt}};
  add_own_places(found, kText, files, ColumnUnit::Bytes);
  ASSERT_EQ(found[0].spans.size(), 2U);
  const DiagnosticSpan& own = found[0].spans[0];
  EXPECT_EQ(own.file_name, "main.cpp");
  EXPECT_EQ(own.line_start, 2U);
  EXPECT_EQ(own.column_start, 3U);  // characters: ö is two bytes
  EXPECT_EQ(own.label, "required from here");
  EXPECT_TRUE(own.is_primary);
  ASSERT_EQ(own.text.size(), 1U);
  EXPECT_EQ(own.text[0].text, "ö  m[k] = 3;");
  EXPECT_FALSE(found[0].spans[1].is_primary);
  EXPECT_EQ(found[0].spans[1].label, "found here");
  EXPECT_EQ(found[1].spans.size(), 1U);
}

TEST(OwnPlace, OfClangIsAmongItsNotes) {
  std::vector<Diagnostic> found{in_header("invalid operands")};
  found[0].notes = {
      {"note", "in instantiation of ‘a’ requested here", {{"/usr/x.h", 1, 1, 1, 2, true, "", {}}}},
      {"note", "in instantiation of ‘b’ requested here", {{"main.cpp", 8, 8, 4, 5, true, "", {}}}},
      {"note", "candidate template ignored", {{"/usr/y.h", 1, 1, 1, 2, true, "", {}}}}};
  promote_own_places(found);
  EXPECT_EQ(found[0].spans[0].file_name, "main.cpp");
  EXPECT_TRUE(found[0].spans[0].is_primary);
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "candidate template ignored");
  EXPECT_FALSE(has_foreign_error(found));
}

TEST(OwnPlace, WhatIsInTheProgramStays) {
  std::vector<Diagnostic> found{in_header("m")};
  found[0].spans[0].file_name = "main.cpp";
  promote_own_places(found);
  add_own_places(found, kText, {}, ColumnUnit::Bytes);
  EXPECT_FALSE(has_foreign_error(found));
  EXPECT_EQ(found[0].spans.size(), 1U);
}

}  // namespace
}  // namespace cove
