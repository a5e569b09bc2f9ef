#include "model/limit_bounds.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(LimitBounds, LowerWhatIsAskedAndSaySo) {
  Limits most;
  most.memory = Bytes::mib(256);
  most.cpus = 2;
  Limits asked;
  asked.memory = Bytes::gib(4);
  asked.cpus = 1.5;
  asked.disk = Bytes::gib(9);
  std::vector<std::string> lowered;
  const Limits got = lower_limits(asked, most, &lowered);
  EXPECT_EQ(got.memory, Bytes::mib(256));
  EXPECT_EQ(got.cpus, 1.5);
  EXPECT_EQ(got.disk, Bytes::gib(9)) << "nobody bounds it";
  EXPECT_FALSE(got.processes.has_value());
  EXPECT_EQ(lowered,
            std::vector<std::string>{"limits.memory is 256 MiB, the most here, not 4 GiB"});
}

TEST(LimitBounds, DefaultsAboveTheMostAreReplaced) {
  Limits most;
  most.memory = Bytes::mib(256);
  most.disk = Bytes::gib(1);
  most.processes = 8;
  const Limits got = lower_with_defaults({}, most);
  EXPECT_EQ(got.memory, Bytes::mib(256));
  EXPECT_EQ(got.processes, 8U);
  EXPECT_FALSE(got.disk.has_value()) << "the default is below it and stays nobody's wish";
  Limits small;
  small.memory = Bytes::mib(64);
  EXPECT_EQ(lower_with_defaults(small, most).memory, Bytes::mib(64));
}

}  // namespace
}  // namespace cove
