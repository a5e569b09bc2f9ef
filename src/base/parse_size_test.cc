#include "base/parse_size.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ParseSize, UnderstandsWhatPeopleWrite) {
  const std::pair<std::string_view, Bytes> cases[] = {
      {"256m", Bytes::mib(256)},
      {"1g", Bytes::gib(1)},
      {"64k", Bytes::kib(64)},
      {"512MiB", Bytes::mib(512)},
      {"512MB", Bytes::mib(512)},
      {"4096", {4096}},
      {"0", {0}},
      {"10b", {10}},
      {"1.5g", Bytes::mib(1536)},
      {" 2 G ", Bytes::gib(2)},
      {"0.5k", {512}},
      {"1t", Bytes::gib(1024)},
  };
  for (const auto& [text, size] : cases) {
    const auto parsed = parse_size(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_EQ(parsed->value, size.value) << text;
  }
}

TEST(ParseSize, RefusesTheRestAndSaysWhatIsMeant) {
  for (const std::string_view text :
       {"", "m", "-1", "+1", "1x", "1mm", "1.5", "1.g", "1.2345g", "0x10", "1e3", "99999999999t",
        "18446744073709551615", "99999999999999999999999", "inf", "1 2"}) {
    const auto parsed = parse_size(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message().find("\"256m\""), std::string::npos);
  }
}

TEST(FormatSize, PicksAReadableUnit) {
  EXPECT_EQ(format_size({0}), "0 B");
  EXPECT_EQ(format_size({1023}), "1023 B");
  EXPECT_EQ(format_size(Bytes::mib(512)), "512 MiB");
  EXPECT_EQ(format_size(Bytes::mib(1536)), "1.5 GiB");
  EXPECT_EQ(format_size(Bytes::gib(1024)), "1 TiB");
  EXPECT_EQ(format_size(Bytes::gib(std::uint64_t{1} << 20U)), "1024 TiB");
}

}  // namespace
}  // namespace cove
