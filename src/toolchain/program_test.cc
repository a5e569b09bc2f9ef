#include "toolchain/program.h"

#include <gtest/gtest.h>

#include "toolchain/java_class.h"

namespace cove {
namespace {

using Names = std::vector<std::string>;

CompileProfile c_profile() {
  CompileProfile compile;
  compile.entry = "main.c";
  compile.sources = {"c"};
  compile.source_tree = true;
  compile.run = {"{build}/main"};
  return compile;
}

TEST(Program, TheEntryComesFirstAndSourcesAreCompiledAlong) {
  ExecutionRequest request;
  request.code = "int main(void) { return f(); }";
  request.files = {{"lib/f.c", "int f(void) { return 0; }", {}}, {"f.h", "", {}}, {"-o.c", "", {}}};
  const auto program = make_program(request, c_profile());
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_EQ(program->entry, "main.c");
  EXPECT_EQ(program->sources, (Names{"main.c", "lib/f.c", "./-o.c"}));
  EXPECT_EQ(program->files.back().content, request.code);
}

TEST(Program, OnlyTheEntrysDirectoryAndNoTestsWhereThatIsTheRule) {
  CompileProfile go;
  go.entry = "main.go";
  go.sources = {"go"};
  go.run = {"{build}/main"};
  ExecutionRequest request;
  request.files = {{"cmd/main.go", "package main", {}},
                   {"cmd/a.go", "", {}},
                   {"cmd/a_test.go", "", {}},
                   {"util/u.go", "", {}}};
  request.entry = "cmd/main.go";
  EXPECT_EQ(make_program(request, go)->sources, (Names{"cmd/main.go", "cmd/a.go"}));
}

TEST(Program, MayBeEmpty) {
  ExecutionRequest request;
  EXPECT_EQ(make_program(request, c_profile())->sources, Names{"main.c"});
  request.entry = "empty.c";
  const auto program = make_program(request, c_profile());
  ASSERT_TRUE(program) << program.error().message();
  ASSERT_EQ(program->files.size(), 1U);
  EXPECT_EQ(program->files[0].name, "empty.c");
  EXPECT_EQ(program->files[0].content, "");
  // What is only checked is always the code.
  CompileProfile check;
  check.entry = "main.ts";
  request.files = {{"other.ts", "", {}}};
  EXPECT_EQ(make_program(request, check)->entry, "empty.c");
}

TEST(Program, WhatCannotBeIsNamed) {
  ExecutionRequest request;
  request.entry = "x.c";
  request.files = {{"y.c", "", {}}};
  EXPECT_EQ(make_program(request, c_profile()).error().field(), "entry");
  request.code = "int x;";
  request.files = {{"x.c", "", {}}};
  EXPECT_EQ(make_program(request, c_profile()).error().field(), "files");
  request.files = {{"cove-build/main", "", {}}};
  const auto in_the_way = make_program(request, c_profile());
  ASSERT_FALSE(in_the_way);
  EXPECT_EQ(in_the_way.error().field(), "files[0].name");
}

TEST(JavaClass, IsFoundBehindCommentsAndStrings) {
  const auto found = find_java_class(
      "package a . b; // public class Wrong { void main }\n"
      "/* class Other { */ import java.util.*;\n"
      "class Helper { String s = \"} class X {\"; char c = '{'; int class_ = 1; }\n"
      "public final class Größe<T> { static class Inner { void main() {} }\n"
      "  public static void main(String[] args) {} }\n");
  EXPECT_EQ(found.main_class, "a.b.Größe");
  EXPECT_EQ(found.file_stem, "Größe");
}

TEST(JavaClass, TheOneWithMainIsStartedAndThePublicOneNamesTheFile) {
  const auto found = find_java_class(
      "public interface Shape {}\nclass App { public static void main(String... a) {} }");
  EXPECT_EQ(found.main_class, "App");
  EXPECT_EQ(found.file_stem, "Shape");
  EXPECT_EQ(find_java_class("").main_class, "Main");
  EXPECT_EQ(find_java_class("record P(int x) {}").main_class, "P");
  EXPECT_EQ(find_java_class("\"\"\" class A {").file_stem, "Main");
}

TEST(JavaClass, AHarnessCallsTheOneWithAStaticRun) {
  const auto found = find_java_class(
      "public class Worker implements Runnable { static int n; public void run() { n = 1; } }\n"
      "class App { private static Object run(Object o) { return o; } }");
  EXPECT_EQ(found.main_class, "App");
  EXPECT_EQ(found.file_stem, "Worker");
  EXPECT_EQ(find_java_class("class A { static void f() { run(); } } class B {}").main_class, "A");
}

}  // namespace
}  // namespace cove
