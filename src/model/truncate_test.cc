#include "model/truncate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/strings.h"

namespace cove {
namespace {

constexpr TruncationStyle kStyles[] = {TruncationStyle::Head, TruncationStyle::HeadTail,
                                       TruncationStyle::Notice};

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Truncate, WhatFitsIsUntouched) {
  for (const TruncationStyle style : kStyles) {
    const auto result = truncate_output("caf\u00e9", {5}, style);
    EXPECT_EQ(result.text, "caf\u00e9");
    EXPECT_FALSE(result.truncated);
    EXPECT_FALSE(truncate_output("", {0}, style).truncated);
  }
}

TEST(Truncate, HeadKeepsTheStartWithoutSplittingACharacter) {
  const auto result = truncate_output("caf\u00e9", {4}, TruncationStyle::Head);
  EXPECT_EQ(result.text, "caf");
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(truncate_output("\U0001F600\U0001F600", {7}, TruncationStyle::Head).text, "\U0001F600");
  EXPECT_EQ(truncate_output("\U0001F600", {3}, TruncationStyle::Head).text, "");
}

TEST(Truncate, HeadTailKeepsBothEndsAndSaysHowMuchIsMissing) {
  const std::string text = std::string(5000, 'a') + std::string(5000, 'z');
  const auto result = truncate_output(text, {1000}, TruncationStyle::HeadTail);
  EXPECT_LE(result.text.size(), 1000U);
  EXPECT_GE(result.text.size(), 990U);
  EXPECT_TRUE(result.text.starts_with(std::string(700, 'a') + "\n... ["));
  EXPECT_TRUE(result.text.ends_with("z"));
  const auto kept = static_cast<std::uint64_t>(std::ranges::count(result.text, 'z'));
  // "truncated" has no 'z' but has an 'a': what is missing is what is said to be.
  EXPECT_NE(result.text.find("[" + std::to_string(10'000 - 700 - kept) + " bytes truncated]"),
            std::string::npos)
      << result.text;
}

TEST(Truncate, NoticeAddsOneLine) {
  const auto result = truncate_output(repeat("0123456789", 100), {200}, TruncationStyle::Notice);
  EXPECT_LE(result.text.size(), 200U);
  EXPECT_TRUE(result.text.ends_with(" of 1000 bytes are shown]\n")) << result.text;
  EXPECT_EQ(std::ranges::count(result.text, '\n'), 2);
  const auto lines = truncate_output(repeat("line\n", 200), {200}, TruncationStyle::Notice);
  EXPECT_EQ(lines.text.find("\n\n"), std::string::npos) << lines.text;
}

TEST(Truncate, ATinyBudgetGivesTheStartAlone) {
  for (const TruncationStyle style : kStyles) {
    EXPECT_EQ(truncate_output("0123456789", {4}, style).text, "0123");
    EXPECT_EQ(truncate_output("0123456789", {0}, style).text, "");
  }
}

TEST(Truncate, NeverExceedsItsBudgetNorSplitsACharacter) {
  const std::string text = repeat("a\u00e9\u20ac\U0001F600", 40);
  for (const TruncationStyle style : kStyles) {
    for (std::uint64_t budget = 0; budget < text.size(); ++budget) {
      const auto result = truncate_output(text, {budget}, style);
      EXPECT_TRUE(result.truncated);
      EXPECT_LE(result.text.size(), budget);
      EXPECT_TRUE(is_valid_utf8(result.text)) << budget;
    }
  }
}

TEST(Truncate, BinaryStaysWithinItsBudget) {
  const std::string text(1000, '\x80');
  for (const TruncationStyle style : kStyles) {
    EXPECT_LE(truncate_output(text, {300}, style).text.size(), 300U);
  }
}

TEST(CappedOutput, GivesWhatTruncatingTheWholeWouldGive) {
  const std::string text = repeat("x\u00e9\u20ac\U0001F600\n", 60);
  for (const TruncationStyle style : kStyles) {
    for (const std::uint64_t budget :
         {0ULL, 1ULL, 50ULL, 100ULL, 333ULL, 719ULL, 720ULL, 5000ULL}) {
      for (const std::size_t chunk : {1UL, 3UL, 64UL, 10'000UL}) {
        CappedOutput output({budget}, style);
        std::string streamed;
        for (std::size_t at = 0; at < text.size(); at += chunk) {
          streamed += output.append(std::string_view(text).substr(at, chunk));
        }
        EXPECT_EQ(streamed, text.substr(0, budget));
        EXPECT_EQ(output.total(), text.size());
        const auto whole = truncate_output(text, {budget}, style);
        const auto result = output.finish();
        EXPECT_EQ(result.text, whole.text) << budget << " " << chunk;
        EXPECT_EQ(result.truncated, whole.truncated);
      }
    }
  }
}

}  // namespace
}  // namespace cove
