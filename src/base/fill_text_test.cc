#include "base/fill_text.h"

#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(FillText, PutsValuesInPlaceOfPlaceholders) {
  const std::vector<Filling> fillings{{"{a}", "1"}, {"{b}", "22"}, {"/work", "/tmp/w"}};
  EXPECT_EQ(fill_text("-o{a}:{b}{a}", fillings), "-o1:221");
  EXPECT_EQ(fill_text("-I/work/x", fillings), "-I/tmp/w/x");
  EXPECT_EQ(fill_text("{c} {a", fillings), "{c} {a");
  EXPECT_EQ(fill_text("", fillings), "");
}

TEST(FillText, LooksAtNothingTwice) {
  const std::vector<Filling> fillings{{"{a}", "{b}"}, {"{b}", "/work{a}"}, {"/work", "/x/work"}};
  EXPECT_EQ(fill_text("{a}{b}/work", fillings), "{b}/work{a}/x/work");
}

TEST(FillText, LeavesAloneWhatIsLiteral) {
  const std::vector<Filling> fillings{{"{a}", "1"}, {"{entry}", literal("{a}.c")}};
  EXPECT_EQ(fill_text("{a}" + literal("x{a}") + "{a}", fillings), "1x{a}1");
  EXPECT_EQ(fill_text(literal(""), fillings), "");
  const std::string once = fill_text("-c{entry}{a}", fillings);
  EXPECT_EQ(fill_text(once, fillings), "-c{a}.c1");
}

}  // namespace
}  // namespace cove
