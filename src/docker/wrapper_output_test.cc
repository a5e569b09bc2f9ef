#include "docker/wrapper_output.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

using namespace std::string_literals;
using std::chrono::milliseconds;

struct Heard {
  std::string output;
  std::string archive;
  int ready = 0;
  int ended = 0;
};

// Fed in pieces of `step` bytes.
WrapperOutput told(std::string_view bytes, Heard& heard, std::size_t step = 4096,
                   WrapperOutput::From from = WrapperOutput::From::Start) {
  WrapperOutput output(
      "mark", from,
      {.on_ready = [&heard] { ++heard.ready; },
       .on_output = [&heard](std::string_view piece) { heard.output += piece; },
       .on_end = [&heard] { ++heard.ended; },
       .on_archive = [&heard](std::string_view piece) { heard.archive += piece; }});
  for (std::size_t at = 0; at < bytes.size(); at += step) output.feed(bytes.substr(at, step));
  output.finish();
  return output;
}

const std::string kBefore = "0m0.000000s 0m0.000000s\n0m0.010000s 0m0.020000s\n";
const std::string kAfter = "0m0.000000s 0m0.010000s\n1m1.510000s 0m0.120000s\n";

TEST(WrapperOutput, TakesAWholeExecutionApartHoweverItIsCut) {
  const std::string bytes = kBefore + "+hello\n\0not the \0mar\0mark mark\n"s + "\0mark\n"s +
                            kAfter + "code 3\nmemory\noom_kill 0\n\0./a\0./b c\0\0ARCHIVE\0\0!+"s;
  for (const std::size_t step : {1UL, 2UL, 3UL, 7UL, 4096UL}) {
    Heard heard;
    const WrapperOutput output = told(bytes, heard, step);
    EXPECT_EQ(heard.output, "hello\n\0not the \0mar\0mark mark\n"s) << step;
    EXPECT_EQ(heard.archive, "ARCHIVE\0\0!+"s);
    EXPECT_EQ(heard.ready, 1);
    EXPECT_EQ(heard.ended, 1);
    EXPECT_TRUE(output.ready() && output.ended() && output.told_all() && output.has_archive());
    EXPECT_EQ(output.facts(), kAfter + "code 3\nmemory\noom_kill 0\n");
    EXPECT_EQ(output.sockets(), (std::vector<std::string_view>{"./a", "./b c"}));
    EXPECT_EQ(output.cpu(), milliseconds(61'600));
  }
}

TEST(WrapperOutput, AnEmptyDirectoryHasNoArchive) {
  Heard heard;
  const WrapperOutput output = told("+\0mark\nx\0\0"s, heard);
  EXPECT_TRUE(output.told_all());
  EXPECT_FALSE(output.has_archive());
  EXPECT_TRUE(output.sockets().empty());
  EXPECT_EQ(output.cpu(), std::nullopt) << "nobody has said";
}

TEST(WrapperOutput, WhatCannotBeStartedIsAComplaint) {
  Heard heard;
  const WrapperOutput output = told("!tar: no room + \0mark\n"s, heard, 1);
  EXPECT_FALSE(output.ready());
  EXPECT_FALSE(output.ended());
  EXPECT_EQ(output.complaint(), "tar: no room + \0mark\n"s);
  EXPECT_EQ(heard.output, "");
  EXPECT_EQ(heard.ready, 0);
}

TEST(WrapperOutput, WithoutTheMarkAllOfItIsOutput) {
  for (const std::size_t step : {1UL, 4096UL}) {
    Heard heard;
    const WrapperOutput output = told("+out\0mark"s, heard, step);
    EXPECT_EQ(heard.output, "out\0mark"s) << "held back to the end, and not lost";
    EXPECT_TRUE(output.ready());
    EXPECT_FALSE(output.ended());
  }
}

TEST(WrapperOutput, OutputIsNotHeldBack) {
  Heard heard;
  WrapperOutput output("mark", WrapperOutput::From::Start,
                       {.on_ready = {},
                        .on_output = [&heard](std::string_view piece) { heard.output += piece; },
                        .on_end = {},
                        .on_archive = {}});
  output.feed("+name? m");
  EXPECT_EQ(heard.output, "name? m");
}

TEST(WrapperOutput, AWrapperThatCollectsOnlyHasNoHead) {
  Heard heard;
  const WrapperOutput output = told("\0mark\n+!\0\0tar"s, heard, 1, WrapperOutput::From::Program);
  EXPECT_EQ(heard.output, "");
  EXPECT_EQ(output.facts(), "+!");
  EXPECT_EQ(heard.archive, "tar");
}

TEST(WrapperOutput, TimesThatAreNoneAreNotBelieved) {
  for (const std::string after :
       {"", "0m0.0s\n", "x\n0m1.0s 0m-1.0s\n", "x\n0m1.0s zms\n", "x\n0m1e300s 0m0s\n",
        "x\n99999999999m1s 0m0s\n", "x\n0m0.0s 0m0.0s\n"}) {
    Heard heard;
    EXPECT_EQ(told(kBefore + "+\0mark\n"s + after + "\0\0"s, heard).cpu(), std::nullopt) << after;
  }
}

TEST(WrapperOutput, WhatIsHeldIsBounded) {
  Heard heard;
  const WrapperOutput output =
      told("+\0mark\n"s + std::string(3U << 20U, 's') + "\0\0archive"s, heard, 65536);
  EXPECT_LE(output.facts().size(), 1U << 20U);
  EXPECT_EQ(heard.archive, "archive");
}

}  // namespace
}  // namespace cove
