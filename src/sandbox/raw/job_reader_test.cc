#include "sandbox/raw/job_reader.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "sandbox/guest.h"

namespace cove::sandbox {
namespace {

constexpr std::size_t kHeader = 8;

JobReader reader_of(const std::string& body) {
  return {body.data(), body.data() + body.size()};
}

TEST(JobReader, ReadsWhatWasEncoded) {
  const std::string body = encode_job({.args = {"a", ""}, .env = {"K=V"}}).substr(kHeader);
  JobReader reader = reader_of(body);
  std::array<char, 64> copies{};
  char* into = copies.data();
  EXPECT_EQ(reader.number(), 2U);
  EXPECT_STREQ(reader.text(into), "a");
  EXPECT_STREQ(reader.text(into), "");
  EXPECT_EQ(reader.number(), 1U);
  std::uint32_t size = 0;
  const char* bytes = reader.piece(size);
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(std::string(bytes, size), "K=V");
  EXPECT_TRUE(reader.ok);
  EXPECT_EQ(reader.at, reader.end);
  EXPECT_EQ(into - copies.data(), 3) << "two terminators and one letter";
}

TEST(JobReader, StopsAtTheEndAndStaysThere) {
  const std::string body = encode_job({.args = {"abc"}, .env = {}}).substr(kHeader);
  for (std::size_t cut = 0; cut < body.size(); ++cut) {
    const std::string part = body.substr(0, cut);
    JobReader reader = reader_of(part);
    std::uint32_t size = 0;
    reader.number();
    reader.piece(size);
    reader.number();
    EXPECT_FALSE(reader.ok) << cut;
    EXPECT_EQ(reader.number(), 0U);
    EXPECT_EQ(reader.piece(size), nullptr);
    EXPECT_LE(reader.at, reader.end);
  }
}

TEST(JobReader, ALengthThatLiesIsFound) {
  for (const char* length : {"\xff\xff\xff\xff", "\x00\x00\x00\x80", "\x04\x00\x00\x00"}) {
    const std::string body = std::string(length, 4) + "abc";
    JobReader reader = reader_of(body);
    std::uint32_t size = 0;
    EXPECT_EQ(reader.piece(size), nullptr);
    EXPECT_FALSE(reader.ok);
  }
}

}  // namespace
}  // namespace cove::sandbox
