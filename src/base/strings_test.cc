#include "base/strings.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

TEST(Utf8, AcceptsWhatUnicodeAllowsAndNothingElse) {
  for (const std::string_view good : {"", "plain", "caf\u00e9", "\u20ac", "\U0001F600", "\uFFFF"}) {
    EXPECT_TRUE(is_valid_utf8(good)) << good;
  }
  for (const std::string_view bad : {
           "\x80",              // a continuation byte alone
           "\xC0\xAF",          // overlong '/'
           "\xE0\x80\xAF",      // the same, longer
           "\xED\xA0\x80",      // a surrogate
           "\xF4\x90\x80\x80",  // past U+10FFFF
           "\xF5\x80\x80\x80", "\xFF",
           "\xE2\x82",  // cut off
       }) {
    EXPECT_FALSE(is_valid_utf8(bad)) << escape_file_name(bad);
  }
}

TEST(Utf8, SanitizingKeepsGoodTextAndReplacesTheRest) {
  EXPECT_EQ(sanitize_utf8("caf\u00e9"), "caf\u00e9");
  EXPECT_EQ(sanitize_utf8(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
  EXPECT_EQ(sanitize_utf8("a\xFF"
                          "b"),
            "a" + std::string(kReplacement) + "b");
  // A character that breaks off is one replacement, not one a byte.
  EXPECT_EQ(sanitize_utf8("\xE2\x82"
                          "x"),
            std::string(kReplacement) + "x");
  EXPECT_EQ(sanitize_utf8("\xF0\x9F\x98"), kReplacement);
  // An overlong form is not "/" in disguise.
  EXPECT_EQ(sanitize_utf8("\xC0\xAF").find('/'), std::string::npos);
}

TEST(Utf8, SanitizedTextIsAlwaysValid) {
  std::string bytes;
  for (int round = 0; round < 3; ++round) {
    for (int byte = 255; byte >= 0; byte -= round + 1) bytes += static_cast<char>(byte);
  }
  EXPECT_TRUE(is_valid_utf8(sanitize_utf8(bytes)));
}

TEST(Utf8, ACutNeverSplitsACharacter) {
  const std::string_view text = "a\u00e9\u20ac\U0001F600z";  // 1 + 2 + 3 + 4 + 1 bytes
  const std::size_t boundaries[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  for (std::size_t limit = 0; limit <= text.size(); ++limit) {
    EXPECT_EQ(utf8_cut(text, limit), boundaries[limit]) << limit;
  }
  EXPECT_EQ(utf8_cut(text, 1000), text.size());
  // Binary data can be cut anywhere.
  EXPECT_EQ(utf8_cut("\x80\x80\x80\x80\x80", 3), 3U);
}

TEST(FileNames, OddBytesAreShownNotDropped) {
  EXPECT_EQ(escape_file_name("plain-\u00e9.txt"), "plain-\u00e9.txt");
  EXPECT_EQ(escape_file_name("a\nb"), "a\\x0ab");
  EXPECT_EQ(escape_file_name("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(escape_file_name("\xFF\xFE"), "\\xff\\xfe");
  EXPECT_EQ(escape_file_name("exe\u202Etxt"), "exe\\xe2\\x80\\xaetxt");
  EXPECT_EQ(escape_file_name("\u009b31m"), "\\xc2\\x9b31m");
}

TEST(FileNames, TwoNamesNeverLookTheSame) {
  EXPECT_NE(escape_file_name("\\x0a"), escape_file_name("\n"));
  EXPECT_EQ(escape_file_name("\\"), "\\x5c");
}

TEST(Strings, QuotedTextIsShortAndHarmless) {
  EXPECT_EQ(quoted("a\tb"), "\"a\\x09b\"");
  EXPECT_EQ(quoted(std::string(100, 'x')), "\"" + std::string(80, 'x') + "…\"");
}

TEST(Strings, SplitJoinTrim) {
  EXPECT_EQ(split("a//b", '/'), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", '/'), (std::vector<std::string_view>{""}));
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(trim(" \t x y\n"), "x y");
  EXPECT_EQ(trim("  "), "");
}

}  // namespace
}  // namespace cove
