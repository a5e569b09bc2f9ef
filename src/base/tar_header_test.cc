#include "base/tar_header.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cove {
namespace {

using namespace std::string_literals;

std::string block_with(TarField field, std::string_view text) {
  std::string block(kTarBlock, '\0');
  std::ranges::copy(text, block.begin() + static_cast<long>(field.at));
  return block;
}

std::optional<std::uint64_t> size_of(std::string_view field) {
  return TarHeader(block_with(kTarSize, field)).number(kTarSize);
}

TEST(TarHeader, NumbersAreOctalOrBinary) {
  EXPECT_EQ(size_of("00000000017"), 15U);
  EXPECT_EQ(size_of("   17 \0     "s), 15U);
  EXPECT_EQ(size_of("777777777777"), 0777777777777U) << "all of the field";
  EXPECT_EQ(size_of(""), 0U);
  EXPECT_EQ(size_of("\x80\0\0\0\0\0\0\0\0\0\x01\x02"s), 258U);
  EXPECT_EQ(size_of("\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"s), ~std::uint64_t{0});
}

TEST(TarHeader, WhatIsNoNumberIsNone) {
  for (const std::string& wrong : {"8"s, "1x"s, "-1"s, "0x10"s, "1 1"s,
                                   "\0"
                                   "1"s,
                                   "+1"s, "\xff\xff\xff\xff"s, "\x81\0\0\0\0\0\0\0\0\0\0\0"s,
                                   "\x80\0\0\x01\0\0\0\0\0\0\0\0"s}) {
    EXPECT_EQ(size_of(wrong), std::nullopt) << wrong;
  }
}

TEST(TarHeader, TheChecksumCountsItselfAsBlanks) {
  std::string block = block_with(kTarName, "name\xff");
  EXPECT_FALSE(TarHeader(block).is_sound());
  const std::string sum = fmt::format("{:06o}", tar_checksum(block)) + "\0 "s;
  std::ranges::copy(sum, block.begin() + kTarChecksum.at);
  EXPECT_TRUE(TarHeader(block).is_sound());
  block[300] = 1;
  EXPECT_FALSE(TarHeader(block).is_sound());
  EXPECT_TRUE(TarHeader(std::string(kTarBlock, '\0')).is_zero());
  EXPECT_FALSE(TarHeader(block).is_zero());
}

TEST(TarHeader, OnlyPosixHasAPrefix) {
  std::string block = block_with(kTarName, "name");
  std::ranges::copy("dir"s, block.begin() + kTarPrefix.at);
  EXPECT_EQ(TarHeader(block).name(), "name");
  std::ranges::copy("ustar "s, block.begin() + kTarMagic.at);
  EXPECT_EQ(TarHeader(block).name(), "name") << "GNU";
  std::ranges::copy("ustar\0"s, block.begin() + kTarMagic.at);
  EXPECT_EQ(TarHeader(block).name(), "dir/name");
  EXPECT_EQ(TarHeader(block_with(kTarName, std::string(100, 'n'))).name(), std::string(100, 'n'))
      << "without a NUL, all of the field and no more";
}

TEST(TarHeader, ExtensionsAreKnownByTheirType) {
  for (const char type : "xgLK"s) {
    EXPECT_TRUE(TarHeader(block_with({kTarType, 1}, std::string(1, type))).is_extension());
  }
  for (const char type :
       "\0"
       "0123456789SVX"s) {
    EXPECT_FALSE(TarHeader(block_with({kTarType, 1}, std::string(1, type))).is_extension());
  }
}

TEST(TarHeader, PaddingFillsTheBlock) {
  EXPECT_EQ(tar_padding(0), 0U);
  EXPECT_EQ(tar_padding(1), 511U);
  EXPECT_EQ(tar_padding(512), 0U);
  EXPECT_EQ(tar_padding(~std::uint64_t{0}), 1U);
}

TEST(PaxRecord, RecordsComeOneByOne) {
  std::string_view text = "11 path=ab\n20 linkpath=a=b\nc d\n";
  auto record = take_pax_record(text);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->key, "path");
  EXPECT_EQ(record->value, "ab");
  record = take_pax_record(text);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->key, "linkpath");
  EXPECT_EQ(record->value, "a=b\nc d") << "a value may have anything in it";
  EXPECT_EQ(text, "");
}

TEST(PaxRecord, MalformedOnesAreNone) {
  for (const std::string wrong :
       {"x", "11path=ab\n", "12 path=ab\n", "10 path=ab\n", " 1 a=b\n", "0 a=b\n", "2 a=b\n",
        "6 path\n", "-8 a=b\n", "99999999999999999999999 a=b\n", "9 ab=cd\n"}) {
    std::string_view text = wrong;
    EXPECT_FALSE(take_pax_record(text)) << wrong;
  }
}

TEST(PaxRecord, NumbersAreDecimal) {
  EXPECT_EQ(pax_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* wrong : {"", "-1", "1.5", " 1", "0x1", "18446744073709551616"}) {
    EXPECT_EQ(pax_number(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace cove
