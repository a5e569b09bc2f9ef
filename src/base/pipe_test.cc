#include "base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(Pipe, CarriesBytesOneWayAndIsClosedAtExec) {
  const auto pipe = make_pipe();
  ASSERT_TRUE(pipe) << pipe.error().message();
  ASSERT_EQ(::write(pipe->write.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(pipe->read.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  for (const int end : {pipe->read.get(), pipe->write.get()}) {
    EXPECT_NE(::fcntl(end, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Pipe, StaysClearOfTheStandardStreams) {
  const UniqueFd kept(::fcntl(0, F_DUPFD_CLOEXEC, 10));
  ::close(0);
  const auto pipe = make_pipe();
  const bool was_free = ::fcntl(0, F_GETFD) == -1;  // no end stayed there
  ::dup2(kept.get(), 0);
  ASSERT_TRUE(pipe) << pipe.error().message();
  EXPECT_TRUE(was_free);
  EXPECT_GT(pipe->read.get(), 3);
  EXPECT_GT(pipe->write.get(), 3);
}

}  // namespace
}  // namespace cove
