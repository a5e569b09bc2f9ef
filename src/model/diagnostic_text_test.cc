#include "model/diagnostic_text.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace cove {
namespace {

Diagnostic mismatch() {
  Diagnostic out;
  out.level = "error";
  out.message = "mismatched types";
  out.code = "E0308";
  out.spans = {{"main.rs", 2, 2, 16, 16, false, "expected due to this", {}},
               {"main.rs",
                2,
                2,
                18,
                22,
                true,
                "expected `i32`, found `&str`",
                {{"    let n: i32 = \"öx\";", 18, 22}}}};
  out.notes = {{"note", "declared here", {{"lib.rs", 9, 9, 1, 2, true, "", {}}}}};
  out.suggestions = {{"try", {"main.rs", 2, 2, 18, 22, true, "", {}}, "7"}};
  return out;
}

TEST(DiagnosticText, ShortHasPlaceLineCaretNoteAndFix) {
  EXPECT_EQ(render_diagnostics({mismatch()}, DiagnosticStyle::Short),
            "main.rs:2:18: error[E0308]: mismatched types\n"
            "  2 |     let n: i32 = \"öx\";\n"
            "    |                  ^^^^ expected `i32`, found `&str`\n"
            "    = note: expected due to this (main.rs:2:16)\n"
            "    = note: declared here (lib.rs:9:1)\n"
            "    = fix: try: replace with `7` at main.rs:2:18\n");
}

TEST(DiagnosticText, EachCauseOnceAndErrorsFirst) {
  Diagnostic warning{"warning", "unused", {}, {{"a.c", 1, 1, 2, 3, true, "", {}}}, {}, {}};
  Diagnostic error{"error", "undeclared", {}, {{"a.c", 5, 5, 2, 3, true, "", {}}}, {}, {}};
  EXPECT_EQ(render_diagnostics({warning, error, error, warning}, DiagnosticStyle::Short),
            "a.c:5:2: error: undeclared\n"
            "a.c:1:2: warning: unused\n");
  EXPECT_EQ(render_diagnostics({warning, error}, DiagnosticStyle::Full),
            "a.c:1:2: warning: unused\n"
            "a.c:5:2: error: undeclared\n");
}

TEST(DiagnosticText, AMistakeThatAHeaderMeetsTwiceIsShownOnce) {
  const auto at = [](const char* file, std::uint32_t line) {
    return Diagnostic{"error", "no match", {}, {{file, line, line, 2, 3, true, "", {}}}, {}, {}};
  };
  EXPECT_EQ(render_diagnostics({at("/usr/include/a.h", 1), at("/usr/include/b.h", 2)},
                               DiagnosticStyle::Short),
            "/usr/include/a.h:1:2: error: no match\n");
  EXPECT_EQ(render_diagnostics({at("a.cc", 1), at("a.cc", 2)}, DiagnosticStyle::Short),
            "a.cc:1:2: error: no match\na.cc:2:2: error: no match\n");
}

TEST(DiagnosticText, ErrorsThatOnePlaceLedToAreShownOnceAndHeadersLast) {
  const auto at = [](const char* file, const char* message, const char* label) {
    return Diagnostic{"error", message, {}, {{file, 3, 3, 2, 3, true, label, {}}}, {}, {}};
  };
  EXPECT_EQ(render_diagnostics(
                {at("/usr/include/a.h", "unmet", ""), at("a.cc", "no copy", "required from here"),
                 at("a.cc", "no assignment", "required from here"), at("a.cc", "other", "")},
                DiagnosticStyle::Short),
            "a.cc:3:2: error: no copy\na.cc:3:2: error: other\n"
            "/usr/include/a.h:3:2: error: unmet\n");
}

TEST(DiagnosticText, OfNotesAboutHeadersOneIsShown) {
  Diagnostic error{"error", "no match", {}, {}, {}, {}};
  for (const char* const file : {"/usr/a.h", "/usr/b.h", "/usr/c.h", "own.h"}) {
    error.notes.push_back({"note", "candidate", {{file, 1, 1, 1, 2, true, "", {}}}});
  }
  EXPECT_EQ(render_diagnostics({error}, DiagnosticStyle::Short),
            "error: no match\n    = note: candidate (/usr/a.h:1:1)\n"
            "    = note: candidate (own.h:1:1)\n");
}

TEST(DiagnosticText, AFixHasAllItsPartsOrNone) {
  Diagnostic error{"error", "no", {}, {}, {}, {}};
  const auto add = [&](const char* message, std::uint32_t column, const char* with) {
    error.suggestions.push_back({message, {"a.rs", 1, 1, column, column, true, "", {}}, with});
  };
  add("name it", 5, "<'a>");
  add("name it", 9, "'a ");
  add("name it", 12, "'a ");
  add("import one", 1, "use a;");
  add("import one", 1, "use b;");
  EXPECT_EQ(render_diagnostics({error}, DiagnosticStyle::Short),
            "error: no\n"
            "    = fix: name it: insert `<'a>` at a.rs:1:5\n"
            "    = fix: name it: insert `'a ` at a.rs:1:9\n"
            "    = fix: name it: insert `'a ` at a.rs:1:12\n"
            "    = fix: import one: insert `use a;` at a.rs:1:1\n");
  for (std::uint32_t column = 20; column < 40; ++column) add("much", column, "x");
  error.suggestions.erase(error.suggestions.begin(), error.suggestions.begin() + 5);
  EXPECT_EQ(render_diagnostics({error}, DiagnosticStyle::Short), "error: no\n");
  error.suggestions = {{"", {"a.rs", 1, 1, 5, 9, true, "", {{"let mut x;", 5, 9}}}, ""}};
  EXPECT_EQ(render_diagnostics({error}, DiagnosticStyle::Short),
            "error: no\n    = fix: delete `mut ` at a.rs:1:5\n");
}

TEST(DiagnosticText, IsBounded) {
  std::vector<Diagnostic> many;
  for (std::uint32_t i = 1; i <= 300; ++i) {
    many.push_back(
        {"error", std::string(5000, 'x'), {}, {{"a.c", i, i, 1, 2, true, "", {}}}, {}, {}});
  }
  const std::string text = render_diagnostics(many, DiagnosticStyle::Short);
  EXPECT_LE(text.size(), 8192U);
  EXPECT_NE(text.find("more errors\n"), std::string::npos);
  EXPECT_LE(render_diagnostics(many, DiagnosticStyle::Full).size(), (256U << 10U) + 20);
}

TEST(DiagnosticText, ALongLineIsShownAroundThePlace) {
  const std::string line = std::string(5000, 'a') + "BAD" + std::string(5000, 'b');
  Diagnostic error{"error", "no", {}, {{"a.c", 1, 1, 5001, 5004, true, "", {{line, 5001, 5004}}}},
                   {},      {}};
  const std::string text = render_diagnostics({error}, DiagnosticStyle::Short);
  EXPECT_LT(text.size(), 600U);
  const auto lines = split(text, '\n');
  ASSERT_GE(lines.size(), 3U);
  // What was left out on the left is one character of three bytes.
  EXPECT_EQ(lines[1].find("BAD"), lines[2].find("^^^") + 2);
  EXPECT_TRUE(lines[1].starts_with("  1 | …a")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with("b…")) << lines[1];
}

TEST(DiagnosticText, APlaceBehindWhatIsKeptOfALineIsNotShownElsewhere) {
  Diagnostic error{
      "error", "no", {}, {{"a.c", 1, 1, 9000, 9001, true, "", {{"short", 9000, 9001}}}}, {}, {}};
  EXPECT_EQ(render_diagnostics({error}, DiagnosticStyle::Short), "a.c:1:9000: error: no\n");
}

TEST(DiagnosticText, FurtherLinesOfAMessageStayLines) {
  Diagnostic error{
      "error", "the linker says:\n\n\tno such symbol\r\nb.c:1: error: forged", {}, {}, {}, {}};
  error.notes = {{"note", "expected `i32`\n   found `u8`", {}}};
  EXPECT_EQ(render_diagnostics({error}, DiagnosticStyle::Short),
            "error: the linker says:\n"
            "     no such symbol\n"
            "    b.c:1: error: forged\n"
            "    = note: expected `i32`\n"
            "         found `u8`\n");
}

TEST(DiagnosticText, NothingReachesATerminalThatCouldDriveIt) {
  Diagnostic error{"error\x1b[31m",
                   "a\x1b]0;title\x07 \xC2\x9B"
                   "1m \xFF",
                   {},
                   {{"\x1b.c", 1, 1, 1, 2, true, "\x08", {{"\tint\x1b x;", 2, 5}}}},
                   {},
                   {}};
  const std::string text = render_diagnostics({error}, DiagnosticStyle::Full);
  EXPECT_TRUE(is_valid_utf8(text));
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
}

TEST(DiagnosticText, OddNumbersDoNoHarm) {
  constexpr std::uint32_t kMost = ~0U;
  Diagnostic error{"error", "", {}, {{"", kMost, 0, kMost, 1, false, "", {{"x", kMost, 1}}}},
                   {},      {}};
  EXPECT_LT(render_diagnostics({error}, DiagnosticStyle::Full).size(), 1000U);
  EXPECT_EQ(render_diagnostics({}, DiagnosticStyle::Short), "");
}

}  // namespace
}  // namespace cove
