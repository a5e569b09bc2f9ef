#include <zlib.h>

#include <gtest/gtest.h>

#include "image/byte_source.h"
#include "image/testing/gzip.h"

namespace cove {
namespace {

using testing::gzip;

Result<std::string> unpacked(const std::string& bytes, std::uint64_t limit = 1 << 20) {
  MemorySource source(bytes);
  COVE_ASSIGN(const auto plain, uncompressed(source, limit));
  return read_all(*plain, 1U << 30U, "it");
}

TEST(Uncompress, PassesPlainBytesOn) {
  EXPECT_EQ(*unpacked("abc"), "abc");
  EXPECT_EQ(*unpacked(""), "");
  EXPECT_EQ(*unpacked("a long enough text"), "a long enough text");
}

TEST(Uncompress, GzipOfOneAndOfSeveralMembers) {
  EXPECT_EQ(*unpacked(gzip("hello")), "hello");
  EXPECT_EQ(*unpacked(gzip("one ") + gzip("") + gzip("two")), "one two");
  const std::string large(3'000'000, 'z');
  EXPECT_EQ(*unpacked(gzip(large), 4'000'000), large);
}

TEST(Uncompress, Attack41ABombEndsAtTheLimit) {
  const std::string bomb = gzip(std::string(50'000'000, '\0'));
  EXPECT_LT(bomb.size(), 100'000U);
  const auto done = unpacked(bomb, 1'000'000);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::TooLarge);
  EXPECT_FALSE(unpacked(std::string(2000, 'x'), 1000));
}

TEST(Uncompress, DamagedAndUnknownIsRefused) {
  std::string cut = gzip(std::string(1000, 'x'));
  cut.resize(cut.size() - 5);
  EXPECT_NE(unpacked(cut).error().message().find("too early"), std::string::npos);
  std::string changed = gzip("hello hello hello");
  changed[changed.size() - 6] ^= 1;  // the checksum
  EXPECT_FALSE(unpacked(changed));
  EXPECT_FALSE(unpacked(gzip("x") + "trailing"));
  EXPECT_NE(unpacked("\x28\xb5\x2f\xfd....").error().message().find("zstd -d"), std::string::npos);
  EXPECT_NE(unpacked("BZh9....").error().message().find("bzip2"), std::string::npos);
}

}  // namespace
}  // namespace cove
