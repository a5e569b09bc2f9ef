#include "image/layer_merge.h"

#include <sys/stat.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "image/layer_unpacker.h"
#include "image/testing/scratch_store.h"
#include "image/testing/tar_writer.h"

namespace cove {
namespace {

namespace fs = std::filesystem;
using testing::ScratchDirectory;
using testing::TarWriter;

class LayerMergeTest : public ::testing::Test {
 protected:
  void add(const TarWriter& tar) {
    const std::string path = here_.inner("layer" + std::to_string(count_++));
    fs::create_directory(path);
    const UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    UnpackBudget budget;
    MemorySource source(tar.finish());
    const auto notes = unpack_layer(source, directory.get(), budget);
    ASSERT_TRUE(notes) << notes.error().message();
    const auto merged = merge_layer(directory.get(), *notes, root().get());
    ASSERT_TRUE(merged) << merged.error().message();
  }
  UniqueFd root() {
    fs::create_directory(here_.inner("root"));
    return UniqueFd(::open(here_.inner("root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string at(const std::string& name) const { return here_.inner("root/" + name); }
  std::string text(const std::string& name) const { return ScratchDirectory::read(at(name)); }

  ScratchDirectory here_;
  int count_ = 0;
};

TEST_F(LayerMergeTest, UpperFilesReplaceLowerOnes) {
  add(TarWriter().file("a", "1").file("b", "1").directory("d").file("d/x", "1"));
  add(TarWriter().file("a", "2").directory("b").file("b/y", "2").file("d", "2"));
  EXPECT_EQ(text("a"), "2");
  EXPECT_EQ(text("b/y"), "2");
  EXPECT_EQ(text("d"), "2");
  struct stat facts{};
  ASSERT_EQ(::stat(at("a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_nlink, 2U) << "a hard link to the layer's file";
}

TEST_F(LayerMergeTest, WhiteoutsHideOnlyWhatIsBelow) {
  add(TarWriter().file("d/gone", "1").file("d/stays", "1").file("tree/deep/x", "1"));
  add(TarWriter().file("d/.wh.gone", "").file(".wh.tree", "").file("d/.wh.never_there", ""));
  EXPECT_FALSE(fs::exists(at("d/gone")));
  EXPECT_EQ(text("d/stays"), "1");
  EXPECT_FALSE(fs::exists(at("tree")));
  // In one layer: hidden below, and new.
  add(TarWriter().file("d/.wh.stays", "").file("d/stays", "3"));
  EXPECT_EQ(text("d/stays"), "3");
}

TEST_F(LayerMergeTest, AnOpaqueDirectoryStartsEmpty) {
  add(TarWriter().file("d/old", "1").file("e/old", "1"));
  add(TarWriter().directory("d").file("d/new", "2").file("d/.wh..wh..opq", ""));
  EXPECT_FALSE(fs::exists(at("d/old")));
  EXPECT_EQ(text("d/new"), "2");
  EXPECT_EQ(text("e/old"), "1");
}

TEST_F(LayerMergeTest, ImpliedDirectoriesFollowALowerLayersLink) {
  add(TarWriter().directory("usr").directory("usr/lib").symlink("lib", "usr/lib"));
  add(TarWriter().file("lib/new.so", "2"));
  EXPECT_TRUE(fs::is_symlink(at("lib")));
  EXPECT_EQ(text("usr/lib/new.so"), "2");
  // Named, the directory itself takes the link's place.
  add(TarWriter().directory("lib").file("lib/own.so", "3"));
  EXPECT_FALSE(fs::is_symlink(at("lib")));
  EXPECT_TRUE(fs::exists(at("usr/lib/new.so")));
}

TEST_F(LayerMergeTest, Attack41LinksOfALowerLayerLeadNowhereElse) {
  add(TarWriter().symlink("out", here_.path()).symlink("file", here_.path() + "/outside"));
  add(TarWriter().file("file", "x").file("out/.wh.outside", "").file("out/.wh..wh..opq", ""));
  EXPECT_TRUE(here_.outside_is_untouched());
  EXPECT_EQ(text("file"), "x");
  // The link leads to nothing inside the root, so a directory takes its place.
  add(TarWriter().file("out/outside", "y"));
  EXPECT_TRUE(here_.outside_is_untouched());
  EXPECT_EQ(text("out/outside"), "y");
}

TEST_F(LayerMergeTest, PreparedRootHasTheSandboxsSettings) {
  add(TarWriter()
          .file("etc/passwd", "evil:x:0:0::/:/bin/sh\n")
          .symlink("etc/hosts", here_.path() + "/outside")
          .symlink("tmp", "/")
          .file("dev/null", "not a device")
          .symlink("proc", "/etc")
          .file("workspace/x", "1"));
  ASSERT_TRUE(prepare_root(root().get()));
  EXPECT_NE(text("etc/passwd").find("nobody:x:65534"), std::string::npos);
  EXPECT_NE(text("etc/hosts").find("localhost"), std::string::npos);
  EXPECT_TRUE(here_.outside_is_untouched());
  for (const char* name : {"tmp", "dev", "proc", "workspace"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(at(name)))) << name;
  }
  EXPECT_NE(ScratchDirectory::read(here_.inner("layer0/etc/passwd")).find("evil"),
            std::string::npos)
      << "the layer keeps its own";
}

TEST_F(LayerMergeTest, AnEtcThatIsALinkIsReplaced) {
  add(TarWriter().symlink("etc", here_.path()));
  ASSERT_TRUE(prepare_root(root().get()));
  EXPECT_FALSE(fs::is_symlink(at("etc")));
  EXPECT_TRUE(here_.outside_is_untouched());
}

}  // namespace
}  // namespace cove
