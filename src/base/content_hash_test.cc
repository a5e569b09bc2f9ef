#include "base/content_hash.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ContentHash, WhereOneFieldEndsMatters) {
  ContentHash first;
  first.add("ab");
  first.add("c");
  ContentHash second;
  second.add("a");
  second.add("bc");
  EXPECT_NE(first.finish(), second.finish());
}

}  // namespace
}  // namespace cove
