#include "docker/tar_stream.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

struct Read {
  std::vector<TarEntry> entries;
  std::vector<std::string> contents;
  Result<> fed;
  Result<> finished;
};

Read read(std::string_view archive, std::size_t step, TarLimits limits = {}) {
  Read out;
  TarStreamReader reader(
      {.on_entry =
           [&](const TarEntry& entry) {
             out.entries.push_back(entry);
             out.contents.emplace_back();
           },
       .on_content = [&](std::string_view bytes) { out.contents.back() += bytes; }},
      limits);
  for (std::size_t at = 0; at < archive.size() && out.fed; at += step) {
    out.fed = reader.feed(archive.substr(at, step));
  }
  out.finished = reader.finish();
  return out;
}

// Makes the header at `at` right again after a change.
void seal(std::string& archive, std::size_t at = 0) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(archive[at + i]);
  }
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  std::copy(text, text + 7, archive.begin() + static_cast<long>(at) + 148);
}

std::string one_file(std::string_view name = "a.txt", std::string_view content = "hello") {
  TarWriter writer;
  writer.file(name, content);
  return writer.finish();
}

TEST(TarStream, WhatIsWrittenIsReadHoweverItArrives) {
  const std::string long_name = std::string(90, 'd') + "/" + std::string(200, 'f') + ".txt";
  TarWriter writer;
  writer.directory("dir");
  writer.file("dir/empty", "");
  writer.file("dir/block", std::string(512, 'b'));
  writer.file(long_name, "long");
  writer.symbolic_link("link", "/elsewhere/" + std::string(150, 't'));
  const std::string archive = writer.finish();
  EXPECT_EQ(archive.size() % 512, 0U);
  for (const std::size_t step : {1, 7, 511, 512, 513, 100000}) {
    const Read out = read(archive, step);
    ASSERT_TRUE(out.fed) << out.fed.error().message();
    EXPECT_TRUE(out.finished);
    ASSERT_EQ(out.entries.size(), 5U);
    EXPECT_EQ(out.entries[0].kind, TarEntry::Kind::Directory);
    EXPECT_EQ(out.entries[0].name, "dir/");
    EXPECT_EQ(out.entries[1].size, 0U);
    EXPECT_EQ(out.contents[2], std::string(512, 'b'));
    EXPECT_EQ(out.entries[3].name, long_name);
    EXPECT_EQ(out.contents[3], "long");
    EXPECT_EQ(out.entries[4].kind, TarEntry::Kind::SymbolicLink);
    EXPECT_EQ(out.entries[4].link.size(), 161U);
  }
}

TEST(TarStream, NamesMayHoldAnyBytes) {
  const std::string name = "a\nb\x01\xFF c";
  const Read out = read(one_file(name), 100);
  ASSERT_EQ(out.entries.size(), 1U);
  EXPECT_EQ(out.entries[0].name, name);
}

TEST(TarStream, PaxPathsAndSizesCount) {
  TarWriter writer;
  const std::string pax = "16 path=new.txt\n";
  writer.file("x", pax);
  writer.file("old.txt", "hello");
  std::string archive = writer.finish();
  archive[156] = 'x';
  seal(archive);
  const Read out = read(archive, 64);
  ASSERT_TRUE(out.fed) << out.fed.error().message();
  ASSERT_EQ(out.entries.size(), 1U);
  EXPECT_EQ(out.entries[0].name, "new.txt");
  EXPECT_EQ(out.contents[0], "hello");
}

TEST(TarStream, RefusesMalformedPaxHeaders) {
  for (const std::string pax : {"99 path=a\n", "0 a=b\n", "path=a\n", "10 path=aX", "9 path=a\n9",
                                "7 nokey\n", "99999999999999999999 a=b\n", "8 size=\n"}) {
    TarWriter writer;
    writer.file("x", pax);
    writer.file("a", "");
    std::string archive = writer.finish();
    archive[156] = 'x';
    seal(archive);
    EXPECT_FALSE(read(archive, 100).fed) << pax;
  }
}

TEST(TarStream, AnArchiveThatBreaksOffIsNoArchive) {
  const std::string archive = one_file();
  for (const std::size_t size : {0, 1, 511, 512, 515, 1024}) {
    const Read out = read(std::string_view(archive).substr(0, size), 100);
    EXPECT_TRUE(out.fed);
    EXPECT_FALSE(out.finished) << size;
  }
}

TEST(TarStream, RefusesAWrongChecksumAndStaysRefusing) {
  std::string archive = one_file();
  archive[3] ^= 1;
  TarStreamReader reader({.on_entry = [](const TarEntry&) { FAIL(); },
                          .on_content = [](std::string_view) { FAIL(); }});
  EXPECT_FALSE(reader.feed(archive));
  EXPECT_FALSE(reader.feed(one_file()));
  EXPECT_FALSE(reader.finish());
}

TEST(TarStream, RefusesSizesThatNoFileHas) {
  for (const std::string& size :
       {std::string("777777777777"),
        std::string("\x80\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
        std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"),
        std::string("12x000000000"), std::string("\x80\0\0\0\x7F\0\0\0\0\0\0\0", 12)}) {
    std::string archive = one_file();
    archive.replace(124, 12, size);
    seal(archive);
    const Read out = read(archive, 512);
    // Either it is refused, or it waits for more than will ever come; nothing is set aside for it.
    EXPECT_FALSE(out.fed && out.finished);
  }
}

TEST(TarStream, RefusesLongNamesAndManyEntriesPastTheLimits) {
  const std::string name(9000, 'n');
  EXPECT_FALSE(read(one_file(name), 512).fed);
  TarWriter writer;
  for (int i = 0; i < 11; ++i) writer.file("f", "");
  EXPECT_FALSE(read(writer.finish(), 512, {.entries = 10}).fed);
}

TEST(TarStream, LinksAndDevicesHaveNoContent) {
  for (const char type : {'1', '2', '3', '4', '6'}) {
    std::string archive = one_file("a", "");
    archive[156] = type;
    archive.replace(124, 11, "00000001000");
    seal(archive);
    const Read out = read(archive, 512);
    ASSERT_TRUE(out.fed);
    EXPECT_TRUE(out.finished);
    ASSERT_EQ(out.entries.size(), 1U);
    EXPECT_EQ(out.entries[0].size, 0U);
    EXPECT_NE(out.entries[0].kind, TarEntry::Kind::File);
  }
}

}  // namespace
}  // namespace cove
