#include "cli/terminal_filter.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(TerminalFilter, OrdinaryTextPasses) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter("plain\ttext\r\nünï 日本 🙂\n"), "plain\ttext\r\nünï 日本 🙂\n");
}

TEST(TerminalFilter, EscapeSequencesBecomeVisible) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter("\x1b[31mred\x1b[0m"), "^[[31mred^[[0m");
  EXPECT_EQ(filter.filter("\x1b]0;title\x07"), "^[]0;title^G");
}

TEST(TerminalFilter, OtherControlsBecomeVisible) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter(std::string("\0\b\x7f", 3)), "^@^H^?");
  EXPECT_EQ(filter.filter("\xC2\x9B"
                          "31m"),
            "\\x9B31m");
}

TEST(TerminalFilter, MalformedBytesAreReplacedSoThatNoneReachesTheTerminal) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter("a\x9b"
                          "31m\xff"),
            "a\xEF\xBF\xBD"
            "31m\xEF\xBF\xBD");
}

TEST(TerminalFilter, ACharacterCutBetweenChunksIsPutTogether) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter("a\xE2"), "a");
  EXPECT_EQ(filter.filter("\x82"), "");
  EXPECT_EQ(filter.filter("\xAC!"), "\xE2\x82\xAC!");
  EXPECT_EQ(filter.finish(), "");
}

TEST(TerminalFilter, AControlCutBetweenChunksIsStillCaught) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter("\xC2"), "");
  EXPECT_EQ(filter.filter("\x9B"), "\\x9B");
}

TEST(TerminalFilter, ACharacterThatNeverEndsIsReplacedAtTheEnd) {
  TerminalFilter filter;
  EXPECT_EQ(filter.filter("\xF0\x9F"), "");
  EXPECT_EQ(filter.finish(), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace cove
