#include "engine/rfc3339.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(Rfc3339Test, WritesAndReadsBack) {
  const std::chrono::system_clock::time_point time(std::chrono::milliseconds(1'794'733'800'250));
  EXPECT_EQ(format_rfc3339(time), "2026-11-15T09:10:00.250Z");
  EXPECT_EQ(parse_rfc3339("2026-11-15T09:10:00.250Z"), time);
  EXPECT_EQ(parse_rfc3339("2026-11-15T09:10:00.25Z"), time);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), std::chrono::system_clock::time_point());
  for (const auto* text : {"2261-12-31T23:59:59.999Z", "1678-01-01T00:00:00.000Z"}) {
    const auto far = parse_rfc3339(text);
    ASSERT_TRUE(far.has_value()) << text;
    EXPECT_EQ(format_rfc3339(*far), text);
  }
}

TEST(Rfc3339Test, RefusesEverythingElse) {
  for (const auto* text :
       {"", "2026", "2026-11-15", "2026-13-15T08:30:00Z", "2026-02-30T08:30:00Z",
        "2026-11-15T24:30:00Z", "2026-11-15T08:30:00", "2026-11-15T08:30:00+01:00",
        "2026-11-15T08:30:00.Z", "2026-11-15T08:30:00.1234567Z", "2026-11-15T08:30:00Zx",
        "2026-11-15 08:30:00Z", "+026-11-15T08:30:00Z", "2026-11-15T08:30:0",
        "2262-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1677-12-31T00:00:00Z",
        "0000-01-01T00:00:00Z"}) {
    EXPECT_FALSE(parse_rfc3339(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace cove
