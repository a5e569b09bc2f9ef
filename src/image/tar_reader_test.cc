#include "image/tar_reader.h"

#include <gtest/gtest.h>

#include "image/testing/tar_writer.h"

namespace cove {
namespace {

using testing::TarWriter;

struct Seen {
  std::vector<TarMember> members;
  std::vector<std::string> contents;
  std::string problem;
};

Seen read_tar(const std::string& bytes) {
  MemorySource source(bytes);
  TarReader tar(source);
  Seen seen;
  for (;;) {
    auto member = tar.next();
    if (!member) {
      seen.problem = member.error().message();
      return seen;
    }
    if (!*member) return seen;
    seen.members.push_back(**member);
    std::string content;
    std::array<char, 100> chunk{};
    for (;;) {
      auto n = tar.read(chunk);
      if (!n) {
        seen.problem = n.error().message();
        return seen;
      }
      if (*n == 0) break;
      content.append(chunk.data(), *n);
    }
    seen.contents.push_back(content);
  }
}

TEST(TarReader, ReadsFilesDirectoriesAndLinks) {
  const auto seen = read_tar(TarWriter()
                                 .directory("d/")
                                 .file("d/a", std::string(1000, 'x'))
                                 .symlink("l", "d/a")
                                 .hard_link("h", "d/a")
                                 .finish());
  EXPECT_EQ(seen.problem, "");
  ASSERT_EQ(seen.members.size(), 4U);
  EXPECT_EQ(seen.members[0].kind, TarKind::Directory);
  EXPECT_EQ(seen.contents[1], std::string(1000, 'x'));
  EXPECT_EQ(seen.members[1].mtime, 1'600'000'000);
  EXPECT_EQ(seen.members[2].link, "d/a");
  EXPECT_EQ(seen.members[3].kind, TarKind::HardLink);
}

TEST(TarReader, TakesLongNamesFromPaxAndGnuHeaders) {
  const std::string name(300, 'n');
  const auto seen = read_tar(
      TarWriter()
          .pax(TarWriter::pax_record("path", name) + TarWriter::pax_record("mtime", "12.5"))
          .file("short", "1")
          .add({.path = "x", .content = name + '\0', .type = 'L'})
          .add({.path = "x", .content = std::string(200, 't'), .type = 'K'})
          .symlink("short", "short")
          .file("plain", "")
          .finish());
  ASSERT_EQ(seen.members.size(), 3U) << seen.problem;
  EXPECT_EQ(seen.members[0].path, name);
  EXPECT_EQ(seen.members[0].mtime, 12);
  EXPECT_EQ(seen.members[1].path, name);
  EXPECT_EQ(seen.members[1].link, std::string(200, 't'));
  EXPECT_EQ(seen.members[2].path, "plain");
}

TEST(TarReader, AnArchiveMayEndWithoutItsMark) {
  EXPECT_EQ(read_tar(TarWriter().file("a", "1").unfinished()).problem, "");
  EXPECT_EQ(read_tar("").members.size(), 0U);
}

struct Broken {
  const char* name;
  std::string bytes;
  const char* problem;
};

class BrokenTar : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenTar, IsRefusedWithAReason) {
  const auto seen = read_tar(GetParam().bytes);
  EXPECT_NE(seen.problem.find(GetParam().problem), std::string::npos) << seen.problem;
}

std::string flipped(std::string bytes) {
  bytes[3] ^= 1;
  return bytes;
}

INSTANTIATE_TEST_SUITE_P(
    Attack41, BrokenTar,
    ::testing::Values(
        Broken{"checksum", flipped(TarWriter().file("a", "1").finish()), "checksum"},
        Broken{"cut_in_header", TarWriter().file("a", "1").unfinished().substr(0, 300), "a header"},
        Broken{"cut_in_content", TarWriter().file("a", "1").unfinished().substr(0, 600),
               "middle of a member"},
        Broken{"content_of_a_link",
               TarWriter().add({.path = "a", .content = "12", .type = '2', .link = "b"}).finish(),
               "without content"},
        Broken{"content_of_a_directory",
               TarWriter().add({.path = "a", .content = "12", .type = '5'}).finish(),
               "without content"},
        Broken{"sparse", TarWriter().add({.path = "a", .type = 'S'}).finish(), "sparse"},
        Broken{"pax_sparse",
               TarWriter()
                   .pax(TarWriter::pax_record("GNU.sparse.realsize", "99999999999"))
                   .file("a", "")
                   .finish(),
               "sparse"},
        Broken{"unknown_type", TarWriter().add({.path = "a", .type = 'V'}).finish(),
               "not supported"},
        Broken{"huge_extension",
               TarWriter().add({.path = "a", .type = 'x', .size = "77777777777"}).finish(),
               "too long"},
        Broken{"repeated_extension", TarWriter().pax("").pax("").file("a", "").finish(),
               "repeated"},
        Broken{"lone_extension", TarWriter().pax("").finish(), "belongs to no member"},
        Broken{"pax_length", TarWriter().pax("99 path=x\n").file("a", "").finish(), "wrong length"},
        Broken{"pax_without_value", TarWriter().pax("7 path\n").file("a", "").finish(), "no value"},
        Broken{"global_name",
               TarWriter()
                   .add({.path = "g", .content = TarWriter::pax_record("path", "x"), .type = 'g'})
                   .file("a", "")
                   .finish(),
               "global header"},
        Broken{"negative_size",
               TarWriter().add({.path = "a", .size = std::string(12, '\xff')}).finish(),
               "a number"},
        Broken{"odd_size", TarWriter().add({.path = "a", .size = "12x45678901"}).finish(),
               "a number"},
        Broken{"endless_name",
               TarWriter()
                   .pax(TarWriter::pax_record("path", std::string(5000, 'x')))
                   .file("a", "")
                   .finish(),
               "4096"},
        Broken{"nul_in_name",
               TarWriter()
                   .pax(TarWriter::pax_record("path", std::string("a\0b", 3)))
                   .file("a", "")
                   .finish(),
               "NUL"},
        Broken{"no_name", TarWriter().file("", "1").finish(), "empty"}),
    [](const auto& broken) { return broken.param.name; });

}  // namespace
}  // namespace cove
