#include "base/data_dir.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace cove {
namespace {

namespace fs = std::filesystem;

class DataDirTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("COVE_DATA_DIR");
    std::string pattern = (fs::temp_directory_path() / "cove-data-dir-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override {
    ::unsetenv("COVE_DATA_DIR");
    fs::remove_all(directory_);
  }

  fs::path directory_;
};

bool offers_source_tree(const std::string& executable) {
  const auto candidates = data_dir_candidates(executable);
  return std::ranges::any_of(candidates,
                             [](const auto& each) { return each.reason == "the source tree"; });
}

TEST_F(DataDirTest, ThePackageOfAProgramIsLookedAtLast) {
  set_package_data_dir("/opt/elsewhere/share/cove");
  const auto candidates = data_dir_candidates("/home/me/program");
  set_package_data_dir("");
  EXPECT_EQ(candidates.back().path, "/opt/elsewhere/share/cove");
  EXPECT_GT(candidates.size(), 1U);
  EXPECT_NE(data_dir_candidates("/home/me/program").back().path, "/opt/elsewhere/share/cove");
}

TEST_F(DataDirTest, EnvironmentVariableDecides) {
  fs::create_directory(directory_ / "profiles");
  ::setenv("COVE_DATA_DIR", directory_.c_str(), 1);
  const auto found = data_dir();
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(*found, directory_.string());
}

TEST_F(DataDirTest, WrongEnvironmentVariableIsAnErrorAndNotIgnored) {
  ::setenv("COVE_DATA_DIR", directory_.c_str(), 1);  // has no profiles/
  const auto found = data_dir();
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message().find(directory_.string()), std::string::npos);
}

TEST_F(DataDirTest, RelativeEnvironmentVariableIsRefused) {
  ::setenv("COVE_DATA_DIR", "share", 1);
  EXPECT_FALSE(data_dir().has_value());
}

TEST_F(DataDirTest, ShareBesideTheExecutableComesFirst) {
  const auto candidates = data_dir_candidates("/opt/cove/bin/cove");
  ASSERT_FALSE(candidates.empty());
  EXPECT_EQ(candidates.front().path, "/opt/cove/share/cove");
}

TEST_F(DataDirTest, TheSecondCommandFindsTheSameShare) {
  const auto candidates = data_dir_candidates("/opt/cove/libexec/cove/cove-net");
  ASSERT_FALSE(candidates.empty());
  EXPECT_EQ(candidates.front().path, "/opt/cove/share/cove");
}

TEST_F(DataDirTest, OnlyProgramsOfTheBuildTreeReadTheSourceTree) {
  EXPECT_FALSE(offers_source_tree("/opt/cove/bin/cove"));
  EXPECT_TRUE(offers_source_tree(fs::read_symlink("/proc/self/exe").string()));
}

}  // namespace
}  // namespace cove
