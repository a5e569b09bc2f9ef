#include "image/member_path.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(MemberPath, IsBelowTheRoot) {
  EXPECT_EQ(*clean_member_path("./usr//bin/"), "usr/bin");
  EXPECT_EQ(*clean_member_path("/etc/passwd"), "etc/passwd");
  EXPECT_EQ(*clean_member_path("./"), "");
  EXPECT_EQ(*clean_member_path("..."), "...");
}

TEST(MemberPath, RefusesTheWayUpAndTooMuch) {
  for (const std::string& name :
       {std::string("../x"), std::string("a/../../x"), std::string("a/.."), std::string("/.."),
        std::string(256, 'x'), std::string("a/") + std::string(300, 'y')}) {
    EXPECT_FALSE(clean_member_path(name)) << name;
  }
  std::string deep;
  for (std::size_t i = 0; i <= kMaxMemberDepth; ++i) deep += "d/";
  EXPECT_NE(clean_member_path(deep).error().message().find("deeper"), std::string::npos);
}

TEST(MemberPath, ParentAndBase) {
  EXPECT_EQ(parent_of("a/b/c"), "a/b");
  EXPECT_EQ(parent_of("a"), "");
  EXPECT_EQ(base_of("a/b/c"), "c");
}

}  // namespace
}  // namespace cove
