#include "session/copy_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

class CopyTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "cove-copy-XXXXXX").string();
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    root_ = path;
    fs::create_directory(root_ / "from");
    fs::create_directory(root_ / "to");
  }
  void TearDown() override { fs::remove_all(root_); }

  Result<> copy() {
    const UniqueFd from(::open((root_ / "from").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd to(::open((root_ / "to").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return copy_tree(from.get(), to.get(), {});
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path root_;
};

TEST_F(CopyTree, TakesFilesDirectoriesModesAndLinks) {
  fs::create_directories(root_ / "from/a/b");
  std::ofstream(root_ / "from/a/b/file") << "content";
  ::chmod((root_ / "from/a/b/file").c_str(), 0750);
  fs::create_symlink("/etc/passwd", root_ / "from/link");
  ASSERT_EQ(::mkfifo((root_ / "from/pipe").c_str(), 0600), 0);
  ASSERT_TRUE(copy());
  EXPECT_EQ(text_of(root_ / "to/a/b/file"), "content");
  EXPECT_EQ(fs::status(root_ / "to/a/b/file").permissions(), fs::perms{0750});
  EXPECT_EQ(fs::read_symlink(root_ / "to/link"), "/etc/passwd");
  EXPECT_FALSE(fs::exists(fs::symlink_status(root_ / "to/pipe")));
}

TEST_F(CopyTree, DoesNotWriteThroughALinkInTheTarget) {
  std::ofstream(root_ / "outside") << "mine";
  std::ofstream(root_ / "from/file") << "theirs";
  fs::create_symlink(root_ / "outside", root_ / "to/file");
  EXPECT_FALSE(copy());
  EXPECT_EQ(text_of(root_ / "outside"), "mine");
}

TEST_F(CopyTree, IsBoundedInDepth) {
  fs::path deep = root_ / "from";
  for (int i = 0; i < 100; ++i) deep /= "d";
  fs::create_directories(deep);
  const auto copied = copy();
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code(), ErrorCode::TooLarge);
}

TEST_F(CopyTree, ClearingLeavesTheDirectoryAndWhatLinksName) {
  std::ofstream(root_ / "outside") << "mine";
  fs::create_directories(root_ / "from/a/b");
  std::ofstream(root_ / "from/a/b/file") << "x";
  ::chmod((root_ / "from/a/b").c_str(), 0);
  fs::create_symlink(root_ / "outside", root_ / "from/link");
  fs::create_directory_symlink(root_, root_ / "from/up");
  const UniqueFd from(::open((root_ / "from").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(clear_directory(from.get()));
  EXPECT_TRUE(fs::is_empty(root_ / "from"));
  EXPECT_EQ(text_of(root_ / "outside"), "mine");
}

}  // namespace
}  // namespace cove
