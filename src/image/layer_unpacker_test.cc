#include "image/layer_unpacker.h"

#include <sys/stat.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "image/testing/scratch_store.h"
#include "image/testing/tar_writer.h"

namespace cove {
namespace {

namespace fs = std::filesystem;
using testing::ScratchDirectory;
using testing::TarWriter;

class LayerUnpackerTest : public ::testing::Test {
 protected:
  Result<LayerNotes> unpack(const std::string& tar) {
    MemorySource source(tar);
    return unpack_layer(source, here_.open().get(), budget_);
  }
  // Refused, and nothing outside was touched.
  void expect_refused(const TarWriter& tar, std::string_view why) {
    const auto notes = unpack(tar.finish());
    ASSERT_FALSE(notes);
    EXPECT_NE(notes.error().message().find(why), std::string::npos) << notes.error().message();
    EXPECT_TRUE(here_.outside_is_untouched());
  }

  ScratchDirectory here_;
  UnpackBudget budget_;
};

TEST_F(LayerUnpackerTest, MakesFilesWithModeAndTime) {
  const auto notes = unpack(TarWriter()
                                .directory("usr/")
                                .add({.path = "usr/tool", .content = "hi", .mode = 04755})
                                .symlink("bin", "usr")
                                .hard_link("again", "usr/tool")
                                .finish());
  ASSERT_TRUE(notes) << notes.error().message();
  EXPECT_EQ(ScratchDirectory::read(here_.inner("usr/tool")), "hi");
  struct stat facts{};
  ASSERT_EQ(::stat(here_.inner("usr/tool").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0755U) << "set-user-id is not taken over";
  EXPECT_EQ(facts.st_mtime, 1'600'000'000);
  EXPECT_EQ(facts.st_nlink, 2U);
  EXPECT_EQ(notes->stripped, 1U);
  EXPECT_EQ(fs::read_symlink(here_.inner("bin")), "usr");
}

TEST_F(LayerUnpackerTest, DirectoriesThatNobodyNamesAreImplied) {
  const auto notes = unpack(TarWriter().file("a/b/c", "1").directory("a/").finish());
  ASSERT_TRUE(notes) << notes.error().message();
  EXPECT_EQ(notes->implied, std::set<std::string>{"a/b"});
}

TEST_F(LayerUnpackerTest, DevicesAndFifosAreSkippedAndCounted) {
  const auto notes = unpack(TarWriter()
                                .add({.path = "null", .type = '3'})
                                .add({.path = "sda", .type = '4'})
                                .add({.path = "pipe", .type = '6'})
                                .finish());
  ASSERT_TRUE(notes) << notes.error().message();
  EXPECT_EQ(notes->skipped, 3U);
  EXPECT_TRUE(fs::is_empty(here_.inner()));
}

TEST_F(LayerUnpackerTest, WhiteoutsAreNoted) {
  const auto notes = unpack(TarWriter().file("a/.wh.gone", "").file("b/.wh..wh..opq", "").finish());
  ASSERT_TRUE(notes) << notes.error().message();
  EXPECT_EQ(notes->whiteouts, std::set<std::string>{"a/gone"});
  EXPECT_EQ(notes->opaque, std::set<std::string>{"b"});
  EXPECT_TRUE(fs::is_empty(here_.inner()));
  expect_refused(TarWriter().file("a/.wh...", ""), "whiteout");
  expect_refused(TarWriter().file("a/.wh.", ""), "whiteout");
}

TEST_F(LayerUnpackerTest, Attack41NoNameLeadsOutside) {
  expect_refused(TarWriter().file("../outside", "x"), "..");
  expect_refused(TarWriter().file("a/../../outside", "x"), "..");
  expect_refused(TarWriter().hard_link("h", "../outside"), "..");
  const auto absolute = unpack(TarWriter().file(here_.path() + "/outside", "x").finish());
  ASSERT_TRUE(absolute) << "an absolute name is one below the root";
  EXPECT_TRUE(here_.outside_is_untouched());
}

TEST_F(LayerUnpackerTest, Attack41NoLinkLeadsOutside) {
  const auto up = unpack(TarWriter().symlink("up", "../").file("up/outside", "x").finish());
  EXPECT_TRUE(here_.outside_is_untouched());
  EXPECT_TRUE(up) << "inside its own root the way up ends at the root";
  EXPECT_EQ(ScratchDirectory::read(here_.inner("outside")), "x");

  (void)unpack(TarWriter().symlink("abs", here_.path()).file("abs/outside", "x").finish());
  EXPECT_TRUE(here_.outside_is_untouched());
  // A file in the place of a link replaces it and is not written through it.
  (void)unpack(
      TarWriter().symlink("f", here_.path() + "/outside").file("f", "overwritten").finish());
  EXPECT_TRUE(here_.outside_is_untouched());
  EXPECT_EQ(ScratchDirectory::read(here_.inner("f")), "overwritten");
  // Two links, each harmless alone.
  (void)unpack(
      TarWriter().symlink("x", ".").symlink("x/y", "..").file("x/y/outside", "z").finish());
  EXPECT_TRUE(here_.outside_is_untouched());
  (void)unpack(TarWriter().symlink("p", "/proc/self/root/tmp").file("p/evil", "z").finish());
  EXPECT_FALSE(fs::exists("/tmp/evil"));
}

TEST_F(LayerUnpackerTest, Attack41HardLinks) {
  (void)unpack(TarWriter()
                   .symlink("out", here_.path() + "/outside")
                   .hard_link("h", "out")
                   .file("h", "overwritten")
                   .finish());
  EXPECT_TRUE(here_.outside_is_untouched());
  expect_refused(TarWriter().symlink("d", here_.path()).hard_link("g", "d/outside"),
                 "not in this layer");
  expect_refused(TarWriter().hard_link("self", "self"), "another file");
  expect_refused(TarWriter().directory("dir").hard_link("hd", "dir"), "must lead to a file");
}

TEST_F(LayerUnpackerTest, Attack41ALaterMemberNeverWritesThroughAHardLink) {
  const auto notes =
      unpack(TarWriter().file("a", "first").hard_link("b", "a").file("b", "second").finish());
  ASSERT_TRUE(notes) << notes.error().message();
  EXPECT_EQ(ScratchDirectory::read(here_.inner("a")), "first");
  EXPECT_EQ(ScratchDirectory::read(here_.inner("b")), "second");
}

TEST_F(LayerUnpackerTest, Attack41FilesAndDirectoriesInEachOthersPlace) {
  expect_refused(TarWriter().file("d/x", "1").file("d", "2"), "replace a directory");
  EXPECT_FALSE(unpack(TarWriter().file("f", "1").file("f/x", "2").finish()));
  EXPECT_TRUE(unpack(TarWriter().file("g", "1").directory("g").file("g/x", "2").finish()));
  EXPECT_TRUE(here_.outside_is_untouched());
}

TEST_F(LayerUnpackerTest, Attack41TheBudgetEndsABomb) {
  budget_ = {.bytes = 10'000, .members = 5};
  expect_refused(TarWriter().file("a", std::string(9'000, 'x')).file("b", std::string(1000, 'y')),
                 "more bytes");
  budget_ = {.bytes = 1 << 20, .members = 3};
  expect_refused(TarWriter().file("a", "").file("a", "").file("a", "").file("a", ""), "more files");
  // The header's word is spent before a byte is read.
  budget_ = {.bytes = 1 << 20, .members = 3};
  expect_refused(TarWriter().add({.path = "big", .size = "77777777777"}), "more bytes");
}

}  // namespace
}  // namespace cove
