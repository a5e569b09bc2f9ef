#include "net/text_table.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(TextTable, LinesUpAndIsSafe) {
  EXPECT_EQ(text_table({{"ID", "STATE"}, {"exec_1", "done"}, {"ä\x1b[2J", "x"}}),
            "ID        STATE\nexec_1    done\nä\\x1b[2J  x\n");
  EXPECT_EQ(text_table({}), "");
}

TEST(AgeOf, ReadsTimesAndSaysWhenItCannot) {
  EXPECT_EQ(age_of(""), "-");
  EXPECT_EQ(age_of("2999-01-01T00:00:00Z"), "-");
  EXPECT_EQ(age_of("2199-01-01T00:00:00Z"), "0 s");
  EXPECT_TRUE(age_of("2020-01-01T00:00:00Z").ends_with(" d"));
}

}  // namespace
}  // namespace cove
