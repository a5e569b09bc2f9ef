// Programs with nothing in them, or nothing to run: what is wrong with them is the compiler's to
// say.
#include "executor/has_no_harness.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

TEST(EmptyPrograms, RunWhereTheirLanguageLetsThem) {
  auto executor = make_executor();
  for (const std::string language : {"typescript", "javascript", "python"}) {
    if (!missing(language).empty()) continue;
    EXPECT_EQ(run(*executor, request_of(language, "")).status, ExecutionStatus::Success);
  }
  if (const std::string why = missing("typescript"); !why.empty()) GTEST_SKIP() << why;
  auto named = request_of("typescript", "");
  named.entry = "empty.ts";
  named.files = {{"other.ts", "export const x = 1;\n", {}}};
  const auto result = run(*executor, named);
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  named.entry = "other.ts";
  const auto refused = executor->execute(named);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field(), "entry");
}

TEST(EmptyPrograms, DoNotCompileWhereTheyMustNotBeEmpty) {
  auto executor = make_executor();
  for (const std::string language : {"rust", "go", "java", "cpp", "c"}) {
    if (!missing(language).empty()) continue;
    for (const std::string entry : {"", "empty"}) {
      auto request = request_of(language, "");
      if (!entry.empty()) request.entry = entry + "." + host_catalog().profile(language)->extension;
      const auto result = run(*executor, request);
      EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
      ASSERT_FALSE(result.diagnostics.empty());
      for (const DiagnosticSpan& span : result.diagnostics[0].spans) {
        EXPECT_EQ(span.line_start, 1U) << describe(result);
        if (!request.entry.empty()) {
          EXPECT_EQ(span.file_name, request.entry);
        }
      }
    }
  }
}

TEST(EmptyPrograms, OfJavaHaveNoClass) {
  if (const std::string why = missing("java"); !why.empty()) GTEST_SKIP() << why;
  auto executor = make_executor();
  for (const char* code : {"", "// only a comment\n", "import java.util.*;\n"}) {
    const auto result = run(*executor, request_of("java", code));
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_EQ(result.diagnostics.back().message, "the program has no class");
    EXPECT_FALSE(result.exit_code);
    EXPECT_EQ(result.backend, "native");
  }
}

// The list that is told is that of the profiles.
TEST(HasNoHarness, NamesThoseThatHaveOne) {
  const std::string said = has_no_harness("c").message();
  const auto listed = [&](const std::string& name) {
    return said.contains(" " + name + ",") || said.contains(" " + name + " ");
  };
  const RuntimeCatalog catalog = host_catalog();
  for (const LanguageProfile& profile : catalog.profiles()) {
    if (profile.name == "c") continue;
    bool has_one = !profile.harness_args.empty();
    if (profile.compile) has_one = profile.compile->harness.has_value();
    for (const InterpreterChoice& choice : profile.alternatives) {
      has_one = has_one || choice.harness_args.has_value();
    }
    EXPECT_EQ(listed(profile.name), has_one) << profile.name << ": " << said;
  }
  const auto refused = make_executor()->execute([] {
    auto request = request_of("c", "int main(void) { return 0; }\n");
    request.input = json::value(1);
    return request;
  }());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), said);
}

}  // namespace
}  // namespace cove::toolchain
