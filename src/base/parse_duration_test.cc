#include "base/parse_duration.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ParseDuration, UnderstandsWhatPeopleWrite) {
  const std::pair<std::string_view, int> cases[] = {
      {"1500ms", 1500},  {"10s", 10'000}, {"2m", 120'000}, {"2min", 120'000},
      {"1h", 3'600'000}, {"0.5s", 500},   {"1.25s", 1250}, {" 3 s ", 3000},
  };
  for (const auto& [text, milliseconds] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->count(), milliseconds) << text;
  }
}

TEST(ParseDuration, RefusesANumberWithoutAUnitAndOtherNonsense) {
  for (const std::string_view text :
       {"", "10", "s", "-1s", "1d", "1.5ms", "1S", "1s1", "99999999999999999999s",
        "9999999999999999999s", "1e3s", "nan"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message().find("\"1500ms\""), std::string::npos);
  }
}

TEST(FormatDuration, PicksAReadableUnit) {
  using std::chrono::milliseconds;
  EXPECT_EQ(format_duration(milliseconds(0)), "0 s");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1500 ms");
  EXPECT_EQ(format_duration(milliseconds(30'000)), "30 s");
  EXPECT_EQ(format_duration(milliseconds(120'000)), "2 min");
  EXPECT_EQ(format_duration(milliseconds(7'200'000)), "2 h");
}

}  // namespace
}  // namespace cove
