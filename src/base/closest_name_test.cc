#include "base/closest_name.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ClosestName, OneThatIsNear) {
  const std::vector<std::string> names{"--memory", "--timeout", "--max-queue", "--max-body"};
  EXPECT_EQ(closest_name("--memry", names), "--memory");
  EXPECT_EQ(closest_name("--tiemout", names), "--timeout");
  EXPECT_EQ(closest_name("--max-queu", names), "--max-queue");
  EXPECT_EQ(closest_name("--timeouts", names), "--timeout");
  EXPECT_EQ(closest_name("--memory", names), "--memory");
}

TEST(ClosestName, NoneWhereNoneIsNear) {
  const std::vector<std::string> names{"ps", "run", "top"};
  EXPECT_EQ(closest_name("session", names), "");
  EXPECT_EQ(closest_name("", names), "");
  EXPECT_EQ(closest_name("--frobnicate", {"--truncate"}), "");
  EXPECT_EQ(closest_name("--", {"-c"}), "");
  EXPECT_EQ(closest_name("rn", names), "run");
  EXPECT_EQ(closest_name("run", {}), "");
  EXPECT_EQ(closest_name(std::string(1000, 'r'), names), "");
}

TEST(ClosestName, AsTheEndOfAMessage) {
  EXPECT_EQ(did_you_mean("stric", {"strict"}), "; did you mean strict?");
  EXPECT_EQ(did_you_mean("other", {"strict"}), "");
}

}  // namespace
}  // namespace cove
