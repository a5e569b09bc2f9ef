// What clang, go, javac and tsc really print.
#include <gtest/gtest.h>

#include "toolchain/diagnostics/diagnostic_format.h"

namespace cove {
namespace {

TEST(ClangText, RangesOptionsNotesAndFixes) {
  const auto found = parse_clang_text(
      "In file included from main.c:1:\n"
      "e.c:2:24:{2:24-2:29}: warning: unused variable 'spare' [-Wunused-variable]\n"
      "e.c:5:7:{5:11-5:18}: error: incompatible pointer to integer conversion [-Wint-conversion]\n"
      "e.c:7:10: error: call to undeclared function 'prinf'\n"
      "e.c:7:10: note: did you mean 'printf'?\n"
      "fix-it:\"e.c\":{7:10-7:15}:\"printf\\\"\"\n"
      "/usr/include/stdio.h:356:12: note: 'printf' declared here\n"
      "1 warning and 2 errors generated.\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].code, "-Wunused-variable");
  EXPECT_EQ(found[0].message, "unused variable 'spare'");
  EXPECT_EQ(found[0].spans[0].column_end, 29U);
  EXPECT_EQ(found[1].spans[0].column_start, 7U);
  EXPECT_FALSE(found[1].spans[1].is_primary);
  EXPECT_EQ(found[1].spans[1].column_start, 11U);
  ASSERT_EQ(found[2].notes.size(), 2U);
  EXPECT_EQ(found[2].notes[1].spans[0].file_name, "/usr/include/stdio.h");
  ASSERT_EQ(found[2].suggestions.size(), 1U);
  EXPECT_EQ(found[2].suggestions[0].replacement, "printf\"");
  EXPECT_EQ(found[2].suggestions[0].span.column_end, 15U);
}

TEST(ClangText, OddLinesDoNoHarm) {
  EXPECT_TRUE(parse_clang_text("fix-it:\"\nfix-it:\nfix-it:\"a\":{1:2-\n:: error: x\n").empty());
  // A colon in a file's name, and a number that is none.
  EXPECT_EQ(parse_clang_text("a:b:1:2: error: x\n")[0].spans[0].file_name, "a:b");
  EXPECT_EQ(parse_clang_text("a:99999999999:1: error: x\n")[0].spans[0].line_start, 1U);
  EXPECT_EQ(parse_clang_text("ld.lld: error: undefined symbol: foo\nclang: error: linker command "
                             "failed with exit code 1\n")[0]
                .message,
            "undefined symbol: foo");
}

TEST(ClangText, PlacesThatLldNames) {
  const auto found = parse_clang_text(
      "ld.lld: error: undefined symbol: f\n>>> referenced by a.c:6 (/workspace/a.c:6)\n"
      ">>>               /tmp/a-1.o:(main)\n"
      "ld.lld: error: duplicate symbol: g\n>>> defined at a.c:4\n>>>            /tmp/a-1.o:(g)\n"
      ">>> defined at b.c:2\n>>>            /tmp/b-2.o:(.text+0x0)\n");
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0].spans.size(), 1U);
  EXPECT_EQ(found[0].spans[0].file_name, "a.c");
  EXPECT_EQ(found[0].spans[0].line_start, 6U);
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "referenced by main in a.c");
  ASSERT_EQ(found[1].spans.size(), 1U);
  EXPECT_EQ(found[1].spans[0].line_start, 4U);
  ASSERT_EQ(found[1].notes.size(), 1U);
  EXPECT_EQ(found[1].notes[0].message, "defined here");
  EXPECT_EQ(found[1].notes[0].spans[0].file_name, "b.c");
}

TEST(GoText, BuildAndVet) {
  const auto found = parse_go_text(
      "# command-line-arguments\n"
      "./main.go:5:2: \"os\" imported and not used\n"
      "./main.go:9:6: declared and not used: é\n"
      "./main.go:5:17: not enough arguments in call to f\n"
      "\thave (number)\n"
      "\twant (int, string)\n"
      "vet: ./s.go:4:1: expected operand, found '}'\n"
      "s.go:2:8: package nope/x is not in std (/usr/local/go/src/nope/x)\n"
      "go: cannot find main module\n"
      "main.go:9:9: too many errors\n");
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[0].spans[0].file_name, "main.go");
  EXPECT_EQ(found[0].message, "\"os\" imported and not used");
  ASSERT_EQ(found[2].notes.size(), 2U);
  EXPECT_EQ(found[2].notes[1].message, "want (int, string)");
  EXPECT_EQ(found[3].spans[0].line_start, 4U);
  EXPECT_TRUE(found[5].spans.empty());
}

// go names no line of these; place_package() finds it.
TEST(GoText, PackagesThatAreNotMain) {
  const auto library = parse_go_text("-buildmode=exe requires exactly one main package\n");
  ASSERT_EQ(library.size(), 1U);
  EXPECT_EQ(library[0].message, "a program must be `package main`");
  EXPECT_EQ(library[0].code, "package-main");
  EXPECT_TRUE(library[0].spans.empty());
  for (const char* text : {"found packages main (main.go) and utils (u.go) in /code\n",
                           "found packages utils (u.go) and main (main.go) in /code\n"}) {
    const auto two = parse_go_text(text);
    ASSERT_EQ(two.size(), 1U) << text;
    EXPECT_TRUE(two[0].message.starts_with("u.go is of package utils: ")) << two[0].message;
    EXPECT_EQ(two[0].spans.at(0).file_name, "u.go");
  }
  for (const char* text : {"found packages ", "found packages main", "found packages main (a) and ",
                           "found packages ) (", "found packages main (a) and x (b\n"}) {
    EXPECT_TRUE(parse_go_text(text).empty()) << text;
  }
}

TEST(GoText, AMissingMainAndImports) {
  const auto found = parse_go_text(
      "# command-line-arguments\n"
      "runtime.main_main·f: function main is undeclared in the main package\n"
      "main.go:3:8: cannot find package \"a.b/gin\" in any of:\n"
      "\t/usr/local/go/src/a.b/gin (from $GOROOT)\n"
      "\t/tmp/go/src/a.b/gin (from $GOPATH)\n"
      "main.go:4:8: no required module provides package a.b/c; to add it:\n"
      "\tgo get a.b/c\n"
      "go: a.b/c@v1.9.0: missing go.sum entry for go.mod file; to add it:\n"
      "\tgo mod download a.b/c\n"
      "main.go:5:8: package nope/x is not in std (/usr/local/go/src/nope/x)\n"
      "./main.go:9:2: not enough arguments in call to f\n"
      "\thave (number)\n");
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[0].message, "function main is undeclared in the main package");
  EXPECT_EQ(found[0].notes.at(0).message, "a program begins with `func main()`");
  EXPECT_EQ(found[1].message, "cannot find package \"a.b/gin\"");
  EXPECT_EQ(found[2].message, "no required module provides package a.b/c");
  EXPECT_EQ(found[3].message, "a.b/c@v1.9.0: missing go.sum entry for go.mod file");
  for (std::size_t i = 1; i < 5; ++i) {
    ASSERT_EQ(found[i].notes.size(), 1U) << found[i].message;
    EXPECT_EQ(found[i].notes[0].level, "help");
    EXPECT_TRUE(found[i].notes[0].message.starts_with("nothing is fetched here: "));
  }
  EXPECT_EQ(found[5].notes.at(0).message, "have (number)");
}

TEST(JavacText, CaretsDetailsAndLints) {
  const auto found = parse_javac_text(
      "Main.java:4: error: incompatible types: String cannot be converted to int\n"
      "        int n = \"seven\";\n"
      "                ^\n"
      "Main.java:5: warning: [rawtypes] found raw type: List\n"
      "        List raw = new ArrayList();\n"
      "        ^\n"
      "  missing type arguments for generic class List<E>\n"
      "Main.java:7: error: method f in class Main cannot be applied to given types;\n"
      "        f(1);\n"
      "        ^\n"
      "  required: no arguments\n"
      "  found:    int\n"
      "error: warnings found and -Werror specified\n"
      "2 errors\n"
      "1 warning\n"
      "Note: Main.java uses unchecked or unsafe operations.\n");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].spans[0].line_start, 4U);
  EXPECT_EQ(found[0].spans[0].column_start, 17U);
  EXPECT_EQ(found[0].spans[0].text[0].text, "        int n = \"seven\";");
  EXPECT_EQ(found[1].code, "rawtypes");
  EXPECT_EQ(found[1].notes.size(), 1U);
  EXPECT_EQ(found[2].notes.size(), 2U);
  EXPECT_EQ(found[3].message, "warnings found and -Werror specified");
}

TEST(JavacText, AMessageOfSeveralLinesAndNoCaret) {
  const auto found = parse_javac_text("A.java:1: error: first\nsecond\n    code();\n    ^\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "first\nsecond");
  EXPECT_EQ(parse_javac_text("A.java:1: error: alone\n1 error\n")[0].spans[0].column_start, 0U);
}

TEST(TscText, PlacesCodesAndFurtherLines) {
  const auto found = parse_tsc_text(
      "main.ts(3,7): error TS2322: Type '{ a: string; }' is not assignable to type 'P'.\n"
      "  Types of property 'a' are incompatible.\n"
      "a(b).ts(1,2): error TS1005: ';' expected.\n"
      "error TS5023: Unknown compiler option 'x'.\n"
      "Found 3 errors.\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].code, "TS2322");
  EXPECT_EQ(found[0].spans[0].line_start, 3U);
  EXPECT_EQ(found[0].spans[0].column_start, 7U);
  EXPECT_EQ(found[0].notes[0].message, "Types of property 'a' are incompatible.");
  EXPECT_EQ(found[1].spans[0].file_name, "a(b).ts");
  EXPECT_TRUE(found[2].spans.empty());
}

TEST(CscText, PlacesAndCodes) {
  const auto found = parse_tsc_text(
      "main.cs(3,22): error CS0103: The name `missing' does not exist in the current context\n"
      "main.cs(1,45): warning CS0219: The variable `spare' is assigned\n"
      "error CS5001: Program `x.exe' does not contain a static `Main' method\n"
      "main.cs(1,2): error XX1: not theirs\n"
      "Compilation failed: 2 error(s), 1 warnings\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].code, "CS0103");
  EXPECT_EQ(found[0].spans[0].column_start, 22U);
  EXPECT_EQ(found[1].level, "warning");
  EXPECT_TRUE(found[2].spans.empty());
}

TEST(GhcText, SpansCodesAndParts) {
  const auto found = parse_ghc_text(
      "[1 of 1] Compiling Main             ( main.hs, Main.o )\n\n"
      "main.hs:4:12-18: error: [GHC-88464]\n"
      "    \u2022 Variable not in scope: missing :: String\n"
      "    \u2022 Perhaps you meant\n        `m'\n"
      "  |\n4 |   putStrLn missing\n  |            ^^^^^^^\n\n"
      "main.hs:(5,3)-(6,10): warning: [-Wunused-do-bind]\n"
      "    A do-notation statement\n"
      "    discarded a result\n"
      "main.hs:7:1: error: parse error on input `x'\n"
      "main.hs:8:1: error: [GHC-1] [-Wtabs, -Werror=tabs]\n    Tab\n");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].code, "GHC-88464");
  EXPECT_EQ(found[0].message, "Variable not in scope: missing :: String");
  EXPECT_EQ(found[0].spans[0].column_start, 12U);
  EXPECT_EQ(found[0].spans[0].column_end, 19U);
  ASSERT_EQ(found[0].notes.size(), 1U);
  EXPECT_EQ(found[0].notes[0].message, "Perhaps you meant\n`m'");
  EXPECT_EQ(found[1].spans[0].line_end, 6U);
  EXPECT_EQ(found[1].message, "A do-notation statement\ndiscarded a result");
  EXPECT_EQ(found[2].message, "parse error on input `x'");
  EXPECT_EQ(found[3].code, "-Wtabs, -Werror=tabs");
}

TEST(OcamlText, PlacesWarningsAndFurtherLines) {
  const auto found = parse_ocaml_text(
      "File \"b.ml\", line 2, characters 17-24:\n"
      "2 |   (* \u00e9\u00e9 *) x + \"seven\"\n                     ^^^^^^^\n"
      "Error: This expression has type string but an expression was expected of type\n"
      "         int\n"
      "File \"w.ml\", lines 3-5, characters 2-15:\n3 | ..match Some 1 with\n"
      "Warning 8 [partial-match]: this pattern-matching is not exhaustive.\n"
      "Here is an example of a case that is not matched:\nNone\n"
      "File \"s.ml\", line 3, characters 0-0:\nError: Syntax error\n"
      "Alert deprecated: module Foo\n");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].message,
            "This expression has type string but an expression was expected of type int");
  EXPECT_EQ(found[0].spans[0].column_start, 18U);
  EXPECT_EQ(found[0].spans[0].column_end, 25U);
  EXPECT_EQ(found[1].code, "partial-match");
  EXPECT_EQ(found[1].spans[0].line_end, 5U);
  EXPECT_EQ(found[1].message,
            "this pattern-matching is not exhaustive.\nHere is an example of a case that is not "
            "matched:\nNone");
  EXPECT_EQ(found[2].spans[0].column_end, 0U);
  EXPECT_EQ(found[3].code, "deprecated");
  EXPECT_TRUE(found[3].spans.empty());
}

TEST(DiagnosticFormats, AreFoundByName) {
  ASSERT_NE(find_diagnostic_format("gcc-json"), nullptr);
  EXPECT_EQ(find_diagnostic_format("gcc-json")->columns, ColumnUnit::Bytes);
  EXPECT_EQ(find_diagnostic_format("gcc"), nullptr);
  EXPECT_EQ(
      diagnostic_format_names(),
      "clang-text, csc-text, gcc-json, ghc-text, go-text, javac-text, ocaml-text, rustc-json, "
      "tsc-text");
}

}  // namespace
}  // namespace cove
