#include "toolchain/diagnostics/explain_fence.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

Diagnostic of(const char* level) {
  Diagnostic out;
  out.level = level;
  out.message = "stray";
  return out;
}

TEST(ExplainFence, IsTheFirstError) {
  std::vector<Diagnostic> found{of("warning"), of("error")};
  explain_fence(found, {"main.c", "```c\nint x;\n```\n", std::nullopt});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].message.contains("Markdown fence"));
  EXPECT_EQ(found[0].spans.at(0).text.at(0).text, "```c");
  EXPECT_EQ(found[0].spans[0].column_end, 4U);
}

TEST(ExplainFence, OfWhatFailsAndBeginsWithOneOnly) {
  std::vector<Diagnostic> found{of("error")};
  explain_fence(found, {"main.c", "int x; // ```\n", std::nullopt});
  EXPECT_EQ(found.size(), 1U);
  std::vector<Diagnostic> fine{of("warning")};
  explain_fence(fine, {"main.x", "```", std::nullopt});
  EXPECT_EQ(fine.size(), 1U);
}

}  // namespace
}  // namespace cove
