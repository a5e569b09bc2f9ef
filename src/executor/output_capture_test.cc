#include "executor/output_capture.h"

#include <string>

#include <gtest/gtest.h>

namespace cove {
namespace {

class Recorder : public OutputSink {
 public:
  void on_stdout(std::string_view bytes) override { out += bytes; }
  void on_stderr(std::string_view bytes) override { err += bytes; }
  std::string out;
  std::string err;
};

TEST(OutputCapture, StreamsAndKeepsWhatFits) {
  Recorder recorder;
  OutputCapture out(OutputCapture::Stream::Stdout, Bytes{10}, TruncationStyle::Head, &recorder);
  OutputCapture err(OutputCapture::Stream::Stderr, Bytes{10}, TruncationStyle::Head, &recorder);
  out.consume("hello");
  err.consume("oops");
  out.consume("world");
  ExecutionResult result;
  out.finish(result);
  err.finish(result);
  EXPECT_EQ(result.stdout_data, "helloworld");
  EXPECT_EQ(result.stderr_data, "oops");
  EXPECT_EQ(recorder.out, "helloworld");
  EXPECT_EQ(recorder.err, "oops");
  EXPECT_FALSE(result.stdout_truncated);
  EXPECT_TRUE(result.limits_hit.empty());
}

TEST(OutputCapture, PastTheCapItDrainsAndSaysSo) {
  Recorder recorder;
  OutputCapture out(OutputCapture::Stream::Stdout, Bytes{4}, TruncationStyle::Head, &recorder);
  OutputCapture err(OutputCapture::Stream::Stderr, Bytes{2}, TruncationStyle::Head, nullptr);
  for (int i = 0; i < 1000; ++i) out.consume("abc");
  err.consume("12345");
  ExecutionResult result;
  EXPECT_EQ(out.total(), 3000U);
  out.finish(result);
  err.finish(result);
  EXPECT_EQ(recorder.out, "abca");
  EXPECT_EQ(result.stdout_data, "abca");
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_TRUE(result.stderr_truncated);
  ASSERT_EQ(result.limits_hit.size(), 1U);  // reached twice, named once
  EXPECT_EQ(result.limits_hit.front(), LimitHit::Output);
}

TEST(OutputCapture, KeepsTheNewestEndForHeadTail) {
  OutputCapture out(OutputCapture::Stream::Stdout, Bytes{200}, TruncationStyle::HeadTail, nullptr);
  for (int i = 0; i < 5000; ++i) out.consume(std::to_string(i) + "\n");
  ExecutionResult result;
  out.finish(result);
  EXPECT_LE(result.stdout_data.size(), 200U);
  EXPECT_TRUE(result.stdout_data.starts_with("0\n1\n2\n"));
  EXPECT_TRUE(result.stdout_data.ends_with("4998\n4999\n"));
}

}  // namespace
}  // namespace cove
