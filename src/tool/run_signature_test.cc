#include "tool/run_signature.h"

#include <gtest/gtest.h>

#include "base/data_dir.h"

namespace cove {
namespace {

TEST(RunSignatures, TellHowEachLanguageWritesIt) {
  const auto catalog = RuntimeCatalog::load(*data_dir() + "/profiles");
  ASSERT_TRUE(catalog);
  EXPECT_EQ(
      run_signatures(*catalog, {"bash", "c", "javascript", "python", "rust", "typescript"}),
      "The code defines, in javascript: function run(input); python: def run(input); rust: fn "
      "run(input: serde_json::Value) -> serde_json::Value; typescript: function run(input: "
      "any): any. Not possible in bash, c.");
  EXPECT_EQ(run_signatures(*catalog, {"sh"}), "Not possible in sh.");
  EXPECT_TRUE(
      run_signatures(*catalog, {"clang++", "cpp"})
          .starts_with("The code defines, in clang++, cpp: cove::json run(const cove::json& "
                       "input) ("));
  // Every harness there is has words of its own.
  for (const LanguageProfile& profile : catalog->profiles()) {
    EXPECT_EQ(run_signatures(*catalog, {profile.name}).find(": run(input)"), std::string::npos)
        << profile.name;
  }
}

}  // namespace
}  // namespace cove
