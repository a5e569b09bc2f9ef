#include "session/control_channel.h"

#include <sys/socket.h>

#include <array>

#include <gtest/gtest.h>

namespace cove {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(FrameReader, PutsFramesTogetherHoweverTheyArrive) {
  FrameReader reader;
  for (const char byte : std::string_view("5\nhello0\n2\nab")) {
    ASSERT_TRUE(reader.feed({&byte, 1}));
  }
  EXPECT_EQ(reader.next(), "hello");
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.next(), "ab");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_TRUE(reader.feed("3\na"));
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_TRUE(reader.feed("bc"));
  EXPECT_EQ(reader.next(), "abc");
}

TEST(FrameReader, RefusesWhatIsNoLength) {
  for (const char* rubbish :
       {"x", "\n", "-1\n", "+1\n", " 1\n", "123456789", "99999999\n", "1x\n"}) {
    FrameReader reader;
    EXPECT_FALSE(reader.feed(rubbish)) << rubbish;
    EXPECT_TRUE(reader.broken());
    EXPECT_FALSE(reader.feed("1\na")) << "broken stays broken";
    EXPECT_EQ(reader.next(), std::nullopt);
  }
  FrameReader largest;
  EXPECT_TRUE(largest.feed(std::to_string(FrameReader::kMaxFrame) + "\n"));
}

TEST(FrameReader, FindsRubbishBehindAGoodFrame) {
  FrameReader reader;
  EXPECT_TRUE(reader.feed("1\naxx\n"));
  EXPECT_EQ(reader.next(), "a");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_TRUE(reader.broken());
}

struct Ends {
  ControlChannel ours;
  UniqueFd theirs;
};

Ends make_ends() {
  std::array<int, 2> pair{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  return {ControlChannel(UniqueFd(pair[0])), UniqueFd(pair[1])};
}

TEST(ControlChannel, SendsAnOrderWithItsLength) {
  auto ends = make_ends();
  ASSERT_TRUE(ends.ours.send("cell", 7, "x = 1", {}, Clock::now() + 1s));
  std::array<char, 64> buffer{};
  const ssize_t n = ::recv(ends.theirs.get(), buffer.data(), buffer.size(), 0);
  EXPECT_EQ(std::string_view(buffer.data(), static_cast<std::size_t>(n)), "cell 7 5\nx = 1");
}

TEST(ControlChannel, GivesUpOnAnInterpreterThatDoesNotRead) {
  auto ends = make_ends();
  const auto started = Clock::now();
  EXPECT_FALSE(ends.ours.send("cell", 1, std::string(8U << 20U, 'x'), {}, started + 50ms));
  EXPECT_LT(Clock::now() - started, 5s);
}

TEST(ControlChannel, NoticesTheEnd) {
  auto ends = make_ends();
  EXPECT_TRUE(ends.ours.fill());  // nothing there yet
  ASSERT_EQ(::send(ends.theirs.get(), "2\nok", 4, 0), 4);
  ends.theirs.reset();
  EXPECT_TRUE(ends.ours.fill());
  EXPECT_EQ(ends.ours.next(), "ok");
  EXPECT_FALSE(ends.ours.fill());
  EXPECT_FALSE(ends.ours.broken());
  EXPECT_FALSE(ends.ours.send("cell", 1, "x", {}, Clock::now() + 50ms));
}

}  // namespace
}  // namespace cove
