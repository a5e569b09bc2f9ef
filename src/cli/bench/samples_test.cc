#include "cli/bench/samples.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(Samples, QuantilesAreValuesThatWereMeasured) {
  Samples samples;
  for (int i = 100; i >= 1; --i) samples.add(i);
  EXPECT_DOUBLE_EQ(samples.median(), 50);
  EXPECT_DOUBLE_EQ(samples.p99(), 99);
  EXPECT_DOUBLE_EQ(samples.quantile(1), 100);
  EXPECT_DOUBLE_EQ(samples.quantile(0), 1);
  EXPECT_DOUBLE_EQ(samples.mean(), 50.5);
}

TEST(Samples, OneSampleIsEveryQuantileAndNoneIsZero) {
  Samples samples;
  EXPECT_DOUBLE_EQ(samples.median(), 0);
  samples.add(7);
  EXPECT_DOUBLE_EQ(samples.median(), 7);
  EXPECT_DOUBLE_EQ(samples.p99(), 7);
}

}  // namespace
}  // namespace cove
