#include "base/base64.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(Base64, EncodesTheStandardExamples) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)).value(), bytes);
    bytes += static_cast<char>(length * 7);
  }
}

TEST(Base64, IsStrict) {
  for (const std::string_view text : {
           "Zg",        // no padding
           "Zg=",       // too little
           "Zm9v====",  // too much
           "=", "====", "Zg==Zg==", "Z===", "Zm 9", "Zm9\n", "Zm-_",
           "Zh==",  // stray bits: would be a second spelling of "f"
       }) {
    const auto decoded = base64_decode(text);
    ASSERT_FALSE(decoded) << text;
    EXPECT_NE(decoded.error().message().find("at offset"), std::string::npos);
  }
}

}  // namespace
}  // namespace cove
