#include "cli/output_directory.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace cove {
namespace {

namespace fs = std::filesystem;

class OutputDirectory : public ::testing::Test {
 public:
  OutputDirectory() {
    std::string pattern = (fs::temp_directory_path() / "cove-out-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    out_ = root_ / "out";
  }
  ~OutputDirectory() override { fs::remove_all(root_); }

 protected:
  static OutputFile file(std::string name, std::string content) {
    OutputFile result;
    result.name = std::move(name);
    result.size = Bytes{content.size()};
    result.content = std::move(content);
    return result;
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  fs::path root_;
  fs::path out_;
};

TEST_F(OutputDirectory, WritesFilesAndTheirDirectories) {
  const auto written = write_output_files(out_, {file("a.txt", "1"), file("b/c/d.txt", "2")});
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->count, 2U);
  EXPECT_EQ(read(out_ / "a.txt"), "1");
  EXPECT_EQ(read(out_ / "b/c/d.txt"), "2");
}

TEST_F(OutputDirectory, IsCheckedBeforeARunAndNotMade) {
  EXPECT_TRUE(check_output_directory(out_));
  EXPECT_TRUE(check_output_directory((out_ / "a/b/").string()));
  EXPECT_TRUE(check_output_directory(root_));
  EXPECT_FALSE(fs::exists(out_));
  const auto problem = [](const std::string& directory) {
    const auto checked = check_output_directory(directory);
    return checked ? "accepted" : checked.error().message();
  };
  std::ofstream(root_ / "file") << "x";
  fs::create_symlink(root_ / "nowhere", root_ / "dangling");
  EXPECT_NE(problem(root_ / "file").find("is not a directory"), std::string::npos);
  EXPECT_NE(problem(root_ / "file/below").find("Not a directory"), std::string::npos);
  EXPECT_NE(problem(root_ / "dangling").find("leads nowhere"), std::string::npos);
  EXPECT_NE(problem("").find("is needed"), std::string::npos);
}

TEST_F(OutputDirectory, NeverWritesThroughALink) {
  fs::create_directory(out_);
  fs::create_directory(root_ / "elsewhere");
  std::ofstream(root_ / "victim") << "precious";
  std::ofstream(root_ / "twin") << "precious";
  fs::create_symlink(root_ / "victim", out_ / "soft");
  fs::create_hard_link(root_ / "twin", out_ / "hard");
  fs::create_directory_symlink(root_ / "elsewhere", out_ / "dir");
  const auto written =
      write_output_files(out_, {file("soft", "x"), file("hard", "y"), file("dir/file", "z")});
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(read(root_ / "victim"), "precious");
  EXPECT_EQ(read(root_ / "twin"), "precious");
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
  EXPECT_EQ(read(out_ / "soft"), "x");
  EXPECT_EQ(read(out_ / "hard"), "y");
  EXPECT_EQ(written->count, 2U);
  EXPECT_EQ(written->problems.size(), 1U);
}

TEST_F(OutputDirectory, NamesThatClimbAreRefused) {
  const auto written = write_output_files(out_, {file("../climb", "x"), file("/absolute", "x"),
                                                 file("a/../../climb", "x"), file("..", "x")});
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->count, 0U);
  EXPECT_EQ(written->problems.size(), 4U);
  EXPECT_FALSE(fs::exists(root_ / "climb"));
}

TEST_F(OutputDirectory, ACutFileIsWrittenAndMentioned) {
  OutputFile cut = file("big", "12");
  cut.size = Bytes{10};
  cut.truncated = true;
  const auto written = write_output_files(out_, {cut});
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->count, 1U);
  ASSERT_EQ(written->problems.size(), 1U);
}

}  // namespace
}  // namespace cove
