#include "base/random_id.h"

#include <set>

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(RandomId, HasItsPrefixAndIsNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = random_id("exec_");
    ASSERT_EQ(id.size(), 25U);
    EXPECT_TRUE(id.starts_with("exec_"));
    EXPECT_EQ(id.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz", 5), std::string::npos) << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

}  // namespace
}  // namespace cove
