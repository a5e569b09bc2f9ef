#include "base/toml_to_json.h"

#include <gtest/gtest.h>

#include "base/write_json.h"

namespace cove {
namespace {

TEST(TomlToJson, ReadsTablesArraysAndScalars) {
  const auto object = toml_to_json("a = 1\nb = [true, 0.5]\n[c]\nd = \"x\"\n", "t.toml");
  ASSERT_TRUE(object) << object.error().message();
  EXPECT_EQ(write_json(*object), R"({"a":1,"b":[true,0.5],"c":{"d":"x"}})");
}

TEST(TomlToJson, SaysWhichFileLineAndColumn) {
  const auto object = toml_to_json("a = 1\nb = = 2\n", "my.toml");
  ASSERT_FALSE(object);
  EXPECT_TRUE(object.error().message().starts_with("my.toml:2:")) << object.error().message();
}

TEST(TomlToJson, RefusesDatesAndDuplicateKeys) {
  const auto date = toml_to_json("[a]\nb = 2020-01-01\n", "t.toml");
  ASSERT_FALSE(date);
  EXPECT_NE(date.error().message().find("\"a.b\""), std::string::npos) << date.error().message();
  EXPECT_FALSE(toml_to_json("a = 1\na = 2\n", "t.toml"));
  EXPECT_FALSE(toml_to_json("a = \"\xFF\"\n", "t.toml"));
}

}  // namespace
}  // namespace cove
