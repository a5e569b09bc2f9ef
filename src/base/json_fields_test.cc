#include "base/json_fields.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(JsonFields, ReadsWhatIsThereAndLeavesTheRest) {
  const json::value value = json::parse(R"({"s":"x","b":true,"n":7,"d":2,"l":["a","b"],"z":null})");
  auto fields = JsonFields::of(value, "").value();
  std::string text;
  std::optional<std::string> missing;
  bool flag = false;
  std::optional<std::int64_t> number;
  std::optional<double> real;
  std::vector<std::string> list;
  EXPECT_TRUE(fields.read("s", text));
  EXPECT_TRUE(fields.read("z", missing));  // null counts as absent
  EXPECT_TRUE(fields.read("b", flag));
  EXPECT_TRUE(fields.read("n", number));
  EXPECT_TRUE(fields.read("d", real));
  EXPECT_TRUE(fields.read("l", list));
  EXPECT_TRUE(fields.no_others());
  EXPECT_EQ(text, "x");
  EXPECT_FALSE(missing);
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(real, 2.0);
  EXPECT_EQ(list, (std::vector<std::string>{"a", "b"}));
}

TEST(JsonFields, ErrorsNameTheWholePath) {
  const json::value value = json::parse(R"({"l":["a",1],"n":1.5,"s":[]})");
  auto fields = JsonFields::of(value, "files[2]").value();
  std::vector<std::string> list;
  std::optional<std::int64_t> number;
  std::string text;
  EXPECT_EQ(fields.read("l", list).error().field(), "files[2].l[1]");
  EXPECT_EQ(fields.read("n", number).error().message(),
            "field \"files[2].n\": must be a whole number");
  EXPECT_EQ(fields.read("s", text).error().message(),
            "field \"files[2].s\": must be a string, got an array");
  EXPECT_EQ(fields.require("x").error().message(),
            "field \"files[2].x\": is required; given: \"l\", \"n\", \"s\"")
      << "a misspelt name is among them";
  const json::value empty = json::object{};
  EXPECT_EQ(JsonFields::of(empty, "").value().require("x").error().message(),
            "field \"x\": is required");
}

TEST(JsonFields, UnknownFieldsAreRefusedWithTheKnownOnes) {
  const json::value value = json::parse(R"({"cod":1})");
  auto fields = JsonFields::of(value, "").value();
  std::string text;
  EXPECT_TRUE(fields.read("language", text));
  EXPECT_TRUE(fields.read("code", text));
  EXPECT_EQ(fields.no_others().error().message(),
            "field \"cod\": is not known here; allowed: code, language");
}

TEST(JsonFields, OnlyAnObjectHasFields) {
  EXPECT_EQ(JsonFields::of(json::value(1), "limits").error().message(),
            "field \"limits\": must be an object, got a number");
  EXPECT_EQ(JsonFields::of(json::array{}, "").error().message(),
            "must be a JSON object, got an array");
}

}  // namespace
}  // namespace cove
