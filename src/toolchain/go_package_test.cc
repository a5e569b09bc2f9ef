#include "toolchain/go_package.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(GoPackage, IsFoundBehindComments) {
  const auto found =
      find_package("// package a\n/* package b\n */  package\tc // d\n\nvar x = 1\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "c");
  EXPECT_EQ(found->line, 3U);
  EXPECT_EQ(found->column, 14U);
  EXPECT_EQ(find_package("package main")->column, 9U);
  EXPECT_EQ(find_package("package é; func f() {}")->name, "é");
  EXPECT_EQ(find_package("\xEF\xBB\xBFpackage m\n")->name, "m");
}

TEST(GoPackage, IsOnlyAtTheBeginning) {
  for (const char* source : {"", "func f() {}\npackage a\n", "package", "package\n", "packages a\n",
                             "\"package a\"", "package \"a\"", "// package a"}) {
    EXPECT_FALSE(find_package(source)) << source;
  }
}

TEST(GoPackage, OfAProgramBecomesMainOnItsLine) {
  std::vector<ExecFile> files{{"main.go", "// A.\npackage solution // x\n\nfunc run() {}\n", {}},
                              {"more.go", "package solution\n", {}},
                              {"other.go", "package other\n", {}},
                              {"more.txt", "package solution\n", {}},
                              {"sub/more.go", "package solution\n", {}}};
  EXPECT_TRUE(make_package_main(files, "main.go"));
  EXPECT_EQ(files[0].content, "// A.\npackage main // x\n\nfunc run() {}\n");
  EXPECT_EQ(files[1].content, "package main\n");
  EXPECT_EQ(files[2].content, "package other\n");
  EXPECT_EQ(files[3].content, "package solution\n");
  EXPECT_EQ(files[4].content, "package solution\n");
  EXPECT_FALSE(make_package_main(files, "main.go"));
  EXPECT_FALSE(make_package_main(files, "more.txt.go"));
}

}  // namespace
}  // namespace cove
