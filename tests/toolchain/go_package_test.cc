// What Go says of packages, and what is said of that here.
#include <algorithm>

#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

class GoPackages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing("go"); !why.empty()) GTEST_SKIP() << why;
    executor_ = make_executor();
  }
  // The one error of a program that does not compile.
  Diagnostic error_of(const std::string& code, std::vector<ExecFile> files = {}) {
    auto request = request_of("go", code);
    request.files = std::move(files);
    const auto result = run(*executor_, request);
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
    EXPECT_EQ(result.diagnostics.size(), 1U) << describe(result);
    return result.diagnostics.empty() ? Diagnostic() : result.diagnostics.front();
  }

  std::unique_ptr<CompilingExecutor> executor_;
};

TEST_F(GoPackages, OfAProgramAreMain) {
  const Diagnostic error = error_of("// Utilities.\n\npackage utils\n\nfunc F() {}\n");
  EXPECT_EQ(error.message, "a program must be `package main`");
  ASSERT_EQ(error.spans.size(), 1U);
  EXPECT_EQ(error.spans[0].file_name, "main.go");
  EXPECT_EQ(error.spans[0].line_start, 3U);
  EXPECT_EQ(error.spans[0].column_start, 9U);
  EXPECT_EQ(error.spans[0].text.at(0).text, "package utils");
}

TEST_F(GoPackages, OfFilesBesideItAreMainToo) {
  const Diagnostic error = error_of("package main\n\nfunc main() { F() }\n",
                                    {{"utils.go", "package utils\n\nfunc F() {}\n", {}}});
  EXPECT_TRUE(error.message.starts_with("utils.go is of package utils: ")) << error.message;
  ASSERT_EQ(error.spans.size(), 1U);
  EXPECT_EQ(error.spans[0].file_name, "utils.go");
  EXPECT_EQ(error.spans[0].line_start, 1U);
}

TEST_F(GoPackages, WithoutAMain) {
  const Diagnostic error = error_of("package main\n\nfunc F() {}\n");
  EXPECT_EQ(error.message, "function main is undeclared in the main package");
}

TEST_F(GoPackages, AreNotFetched) {
  const std::string code =
      "package main\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc main() { gin.Default() }\n";
  const std::vector<ExecFile> module{{"go.mod", "module m\n", {}}};
  for (const auto& files : {std::vector<ExecFile>(), module}) {
    const Diagnostic error = error_of(code, files);
    EXPECT_TRUE(error.message.contains("github.com/gin-gonic/gin")) << error.message;
    EXPECT_EQ(error.spans.at(0).line_start, 3U);
    ASSERT_EQ(error.notes.size(), 1U);
    EXPECT_TRUE(error.notes[0].message.starts_with("nothing is fetched here: "));
  }
}

// Of a program that provides run, the package is passed over.
TEST_F(GoPackages, OfARunMayBeAny) {
  auto request = request_of(
      "go", "// A solution.\npackage solution\n\nfunc run(i int) int { return twice(i) }\n");
  request.files = {{"more.go", "package solution\n\nfunc twice(i int) int { return 2 * i }\n", {}}};
  request.input = json::value(21);
  const auto good = run(*executor_, request);
  EXPECT_EQ(good.output, json::value(42)) << describe(good);
  EXPECT_TRUE(good.diagnostics.empty()) << describe(good);

  request.files[0].content = "package solution\n\nfunc twice(i int) int { return missing }\n";
  const auto bad = run(*executor_, request);
  ASSERT_FALSE(bad.diagnostics.empty()) << describe(bad);
  const auto& span = bad.diagnostics[0].spans.at(0);
  EXPECT_EQ(span.file_name, "more.go");
  EXPECT_EQ(span.line_start, 3U);
  EXPECT_EQ(span.text.size(), 1U);
}

}  // namespace
}  // namespace cove::toolchain
