#include "docker/output_frames.h"

#include <string>

#include <gtest/gtest.h>

namespace cove {
namespace {

std::string frame(unsigned char stream, std::string_view bytes) {
  std::string out{static_cast<char>(stream), 0, 0, 0};
  const auto size = static_cast<std::uint32_t>(bytes.size());
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out += static_cast<char>((size >> shift) & 0xFFU);
  }
  return out + std::string(bytes);
}

struct Heard {
  std::string out;
  std::string err;
  Result<> fed;
  Result<> finished;
};

Heard hear(std::string_view bytes, std::size_t step) {
  Heard heard;
  OutputFrames frames([&heard](OutputFrames::Stream stream, std::string_view piece) {
    (stream == OutputFrames::Stream::Stdout ? heard.out : heard.err) += piece;
  });
  for (std::size_t at = 0; at < bytes.size() && heard.fed; at += step) {
    heard.fed = frames.feed(bytes.substr(at, step));
  }
  heard.finished = frames.finish();
  return heard;
}

TEST(OutputFrames, SplitsTheTwoStreamsHoweverTheBytesArrive) {
  const std::string bytes = frame(1, "one ") + frame(2, "bad") + frame(1, "") + frame(1, "two\n");
  for (const std::size_t step : {1, 2, 7, 8, 9, 100}) {
    const Heard heard = hear(bytes, step);
    EXPECT_TRUE(heard.fed);
    EXPECT_TRUE(heard.finished);
    EXPECT_EQ(heard.out, "one two\n");
    EXPECT_EQ(heard.err, "bad");
  }
}

TEST(OutputFrames, HandsOnAnUnfinishedFrameAndThenSaysThatItBrokeOff) {
  const std::string bytes = frame(1, "complete") + frame(1, "half of it");
  const Heard heard = hear(bytes.substr(0, bytes.size() - 3), 5);
  EXPECT_TRUE(heard.fed);
  EXPECT_EQ(heard.out, "completehalf of");
  ASSERT_FALSE(heard.finished);
  EXPECT_EQ(heard.finished.error().code(), ErrorCode::BackendUnavailable);
  EXPECT_FALSE(hear(bytes.substr(0, 3), 1).finished);
}

TEST(OutputFrames, RefusesWhatIsNoFrame) {
  for (const std::string& bytes :
       {std::string("HTTP/1.1 500"), frame(4, "x"), std::string("\x01\x01\0\0\0\0\0\x01x", 9)}) {
    const Heard heard = hear(bytes, 3);
    ASSERT_FALSE(heard.fed);
    EXPECT_EQ(heard.fed.error().code(), ErrorCode::Internal);
    EXPECT_EQ(heard.out + heard.err, "");
    EXPECT_FALSE(heard.finished);
  }
}

TEST(OutputFrames, NothingFollowsAnError) {
  OutputFrames frames([](OutputFrames::Stream, std::string_view) { FAIL(); });
  EXPECT_FALSE(frames.feed("\x09more of it"));
  EXPECT_FALSE(frames.feed(frame(1, "well-formed")));
}

TEST(OutputFrames, TheEnginesOwnWordsAreAnErrorAndBounded) {
  const Heard heard = hear(frame(1, "out") + frame(3, std::string(100'000, 'e')), 4096);
  EXPECT_TRUE(heard.fed);
  EXPECT_EQ(heard.out, "out");
  ASSERT_FALSE(heard.finished);
  EXPECT_LT(heard.finished.error().message().size(), OutputFrames::kMaxComplaint + 100);
}

TEST(OutputFrames, AnAnnouncedLengthCostsNothing) {
  std::string bytes = frame(1, "x");
  for (int i = 4; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = '\xFF';
  const Heard heard = hear(bytes, 100);
  EXPECT_EQ(heard.out, "x");
  EXPECT_FALSE(heard.finished);
}

}  // namespace
}  // namespace cove
