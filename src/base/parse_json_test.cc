#include "base/parse_json.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/write_json.h"

namespace cove {
namespace {

std::string problem_of(std::string_view text, const JsonParseLimits& limits = {}) {
  const auto value = parse_json(text, limits);
  return value ? "accepted" : value.error().message();
}

TEST(ParseJson, ReadsADocument) {
  const std::string text = R"({"a":[1,-2,3.5,true,null,"é\n"],"b":{}})";
  EXPECT_EQ(write_json(parse_json(text).value()), text);
  EXPECT_EQ(write_json(parse_json(" 18446744073709551615 ").value()), "18446744073709551615");
}

TEST(ParseJson, SaysWhereItGoesWrong) {
  EXPECT_NE(problem_of("{\"a\": }").find("offset 6"), std::string::npos) << problem_of("{\"a\": }");
  EXPECT_NE(problem_of("").find("ends too early"), std::string::npos);
  EXPECT_NE(problem_of("[1").find("ends too early"), std::string::npos);
  EXPECT_NE(problem_of("{} {}").find("follows the document"), std::string::npos);
  for (const std::string_view text : {"{a:1}", "[1,]", "// c\n1", "'a'", "NaN", "\"\xFF\"", "01"}) {
    EXPECT_NE(problem_of(text).find("not valid JSON"), std::string::npos) << text;
  }
}

TEST(ParseJson, RefusesAKeyThatOccursTwice) {
  EXPECT_NE(
      problem_of(R"({"policy":"strict","policy":"host_local"})").find("\"policy\" occurs twice"),
      std::string::npos);
  EXPECT_NE(problem_of(R"({"x":[{"a":1,"\u0061":2}]})").find("\"a\" occurs twice"),
            std::string::npos);
  EXPECT_EQ(problem_of(R"({"a":{"a":1},"b":{"a":1}})"), "accepted");
}

TEST(ParseJson, IsBoundedInSizeDepthAndCount) {
  EXPECT_NE(problem_of("[1,2,3]", {.size = {5}, .depth = 64, .values = 99}).find("larger than 5 B"),
            std::string::npos);
  EXPECT_EQ(problem_of(std::string(64, '[') + std::string(64, ']')), "accepted");
  EXPECT_NE(problem_of(std::string(65, '[') + std::string(65, ']')).find("deeper than 64"),
            std::string::npos);
  EXPECT_NE(problem_of(std::string(1'000'000, '[')).find("deeper than 64"), std::string::npos);
  EXPECT_NE(problem_of("[1,2,3]", {.size = Bytes::mib(1), .depth = 64, .values = 3})
                .find("too many values"),
            std::string::npos);
  EXPECT_EQ(problem_of("[1,2,3]", {.size = Bytes::mib(1), .depth = 64, .values = 4}), "accepted");
}

// Infinity could not be written again.
TEST(ParseJson, ANumberIsAtMostADouble) {
  EXPECT_EQ(problem_of("[1e308, -1e308, 1e-400, 18446744073709551615]"), "accepted");
  EXPECT_NE(problem_of("[1, 1e400]").find("too large for a double"), std::string::npos);
  EXPECT_NE(problem_of("-1e400").find("too large for a double"), std::string::npos);
}

TEST(WriteJson, NumbersLookLikeNumbers) {
  EXPECT_EQ(write_json(json::value(0.47)), "0.47");
  EXPECT_EQ(write_json(json::value(2.0)), "2.0");
  EXPECT_EQ(write_json(json::value(1e300)), "1e+300");
  EXPECT_EQ(write_json(json::value(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(write_json(json::value(std::string("a\"\n\x01"))), R"("a\"\n\u0001")");
}

}  // namespace
}  // namespace cove
