#include "executor/file_collector.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

class FileCollector : public ::testing::Test {
 public:
  FileCollector() {
    std::string pattern = (fs::temp_directory_path() / "cove-collect-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~FileCollector() override {
    (void)::chmod((root_ / "sealed").c_str(), 0700);
    fs::remove_all(root_);
  }

 protected:
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << content;
  }
  ExecutionResult collect(CollectOptions options = {}) const {
    const UniqueFd fd(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ExecutionResult result;
    collect_files(fd.get(), options, result);
    return result;
  }
  static std::string reason_for(const ExecutionResult& result, const std::string& name) {
    const auto found = std::ranges::find(result.skipped_files, name, &SkippedFile::name);
    return found == result.skipped_files.end() ? "" : found->reason;
  }
  fs::path root_;
};

TEST_F(FileCollector, ReportsNewFilesWithSizeTypeAndContent) {
  write("b/plot.png", "PNG");
  write("a.csv", "1,2\n");
  const ExecutionResult result = collect({.request_files = {}, .contents = true});
  ASSERT_EQ(result.output_files.size(), 2U);
  EXPECT_EQ(result.output_files[0].name, "a.csv");
  EXPECT_EQ(result.output_files[0].mime_type, "text/csv");
  EXPECT_EQ(result.output_files[0].content, "1,2\n");
  EXPECT_EQ(result.output_files[1].name, "b/plot.png");
  EXPECT_EQ(result.output_files[1].mime_type, "image/png");
  EXPECT_EQ(result.output_files[1].size, Bytes{3});
  EXPECT_FALSE(result.output_files_incomplete);
}

TEST_F(FileCollector, RequestFilesAppearOnlyWhenChanged) {
  write("same.txt", "one");
  write("dir/changed.txt", "two!");
  write("equal_size.txt", "abd");
  const std::vector<ExecFile> given{
      {"./same.txt", "one", {}}, {"dir//changed.txt", "two", {}}, {"equal_size.txt", "abc", {}}};
  const ExecutionResult result = collect({.request_files = given, .contents = true});
  ASSERT_EQ(result.output_files.size(), 2U);
  EXPECT_EQ(result.output_files[0].name, "dir/changed.txt");
  EXPECT_EQ(result.output_files[1].name, "equal_size.txt");
  EXPECT_EQ(result.output_files[1].content, "abd");
}

TEST_F(FileCollector, LinksAndSpecialFilesAreSkippedWithTheReason) {
  fs::create_symlink("/etc/passwd", root_ / "leak");
  fs::create_directory_symlink("/etc", root_ / "etc");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  write("first", "x");
  fs::create_hard_link(root_ / "first", root_ / "second");
  const ExecutionResult result = collect({.request_files = {}, .contents = true});
  EXPECT_TRUE(result.output_files.empty());
  EXPECT_EQ(reason_for(result, "leak"), "symbolic link");
  EXPECT_EQ(reason_for(result, "etc"), "symbolic link");
  EXPECT_EQ(reason_for(result, "pipe"), "named pipe");
  EXPECT_EQ(reason_for(result, "first"), "hard link");
}

TEST_F(FileCollector, WhatTheProgramSealedIsStillRead) {
  write("sealed/inner.txt", "here");
  ASSERT_EQ(::chmod((root_ / "sealed/inner.txt").c_str(), 0), 0);
  ASSERT_EQ(::chmod((root_ / "sealed").c_str(), 0), 0);
  const ExecutionResult result = collect({.request_files = {}, .contents = true});
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].content, "here");
}

// Root reads these anyway; the ordinary user's run of the suite is the one that tells.
TEST_F(FileCollector, EveryWayOfSealingIsOpened) {
  write("sealed/unsearchable/inner.txt", "a");
  write("sealed/unlistable/inner.txt", "b");
  write("sealed/plain.txt", "c");
  ASSERT_EQ(::chmod((root_ / "sealed/unsearchable").c_str(), 0400), 0);
  ASSERT_EQ(::chmod((root_ / "sealed/unlistable").c_str(), 0100), 0);
  ASSERT_EQ(::chmod((root_ / "sealed/plain.txt").c_str(), 0), 0);
  ASSERT_EQ(::chmod((root_ / "sealed").c_str(), 0), 0);
  const ExecutionResult result = collect({.request_files = {}, .contents = true});
  ASSERT_EQ(result.output_files.size(), 3U);
  EXPECT_EQ(result.output_files[0].content, "c");
  EXPECT_EQ(result.output_files[1].content, "b");
  EXPECT_EQ(result.output_files[2].content, "a");
}

TEST_F(FileCollector, TheDirectoryItselfMayBeSealed) {
  write("sealed/inner.txt", "here");
  const UniqueFd fd(::open((root_ / "sealed").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::chmod((root_ / "sealed").c_str(), 0), 0);
  ExecutionResult result;
  collect_files(fd.get(), {.request_files = {}, .contents = true}, result);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].content, "here");
}

// Giving permission back must not reach through a link, nor to a file with another name elsewhere.
TEST_F(FileCollector, UnsealingChangesNothingOutside) {
  write("elsewhere", "host's");
  write("host_directory/x", "host's");
  write("workspace/own", "mine");
  const fs::path work = root_ / "workspace";
  fs::create_symlink(root_ / "elsewhere", work / "link");
  fs::create_directory_symlink(root_ / "host_directory", work / "directory_link");
  fs::create_hard_link(root_ / "elsewhere", work / "second_name");
  ASSERT_EQ(::chmod((root_ / "elsewhere").c_str(), 0), 0);
  ASSERT_EQ(::chmod((root_ / "host_directory").c_str(), 0), 0);
  const UniqueFd fd(::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ExecutionResult result;
  collect_files(fd.get(), {.request_files = {}, .contents = true}, result);
  struct stat file{};
  struct stat directory{};
  ASSERT_EQ(::stat((root_ / "elsewhere").c_str(), &file), 0);
  ASSERT_EQ(::stat((root_ / "host_directory").c_str(), &directory), 0);
  EXPECT_EQ(file.st_mode & 07777U, 0U);
  EXPECT_EQ(directory.st_mode & 07777U, 0U);
  ASSERT_EQ(::chmod((root_ / "host_directory").c_str(), 0700), 0);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].name, "own");
}

TEST_F(FileCollector, CountIsCapped) {
  for (int i = 0; i < 12; ++i) write("f" + std::to_string(i), "x");
  CollectOptions options;
  options.max_files = 10;
  const ExecutionResult result = collect(options);
  EXPECT_EQ(result.output_files.size(), 10U);
  EXPECT_TRUE(result.output_files_incomplete);
}

TEST_F(FileCollector, SizesAreCappedAndAHugeSparseFileCostsNothing) {
  write("big", "0123456789");
  write("sparse", "");
  fs::resize_file(root_ / "sparse", 1ULL << 40U);
  CollectOptions options;
  options.contents = true;
  options.max_file = Bytes{4};
  options.max_total = Bytes{6};
  const ExecutionResult result = collect(options);
  ASSERT_EQ(result.output_files.size(), 2U);
  EXPECT_EQ(result.output_files[0].content, "0123");
  EXPECT_TRUE(result.output_files[0].truncated);
  EXPECT_EQ(result.output_files[0].size, Bytes{10});
  EXPECT_EQ(result.output_files[1].content.value_or("").size(), 2U);
  EXPECT_TRUE(result.output_files_incomplete);
}

TEST_F(FileCollector, SizesAreNoMatterWhereContentsAreNotAskedFor) {
  write("big", "0123456789");
  CollectOptions options;
  options.max_file = Bytes{4};
  options.max_total = Bytes{6};
  const ExecutionResult result = collect(options);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].size, Bytes{10});
  EXPECT_FALSE(result.output_files[0].content.has_value());
  EXPECT_FALSE(result.output_files[0].truncated);
  EXPECT_FALSE(result.output_files_incomplete);
}

TEST_F(FileCollector, DepthIsCapped) {
  write("1/2/3/deep.txt", "x");
  write("1/2/shallow.txt", "x");
  CollectOptions options;
  options.max_depth = 2;
  const ExecutionResult result = collect(options);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].name, "1/2/shallow.txt");
  EXPECT_EQ(reason_for(result, "1/2/3"), "directory too deep");
}

TEST_F(FileCollector, ADeadlineEndsTheWalkAndIsReported) {
  write("a", "x");
  CollectOptions options;
  options.deadline = std::chrono::steady_clock::now();
  const ExecutionResult result = collect(options);
  EXPECT_TRUE(result.output_files.empty());
  EXPECT_TRUE(result.output_files_incomplete);
}

TEST_F(FileCollector, TheListOfSkippedFilesIsBounded) {
  for (int i = 0; i < 300; ++i) fs::create_symlink("x", root_ / ("l" + std::to_string(i)));
  const ExecutionResult result = collect();
  EXPECT_EQ(result.skipped_files.size(), 100U);
  EXPECT_TRUE(result.output_files_incomplete);
}

TEST_F(FileCollector, OddBytesInNamesAreEscapedNotDropped) {
  write("a\nb", "x");
  write("\xff\xfe", "y");
  const ExecutionResult result = collect();
  ASSERT_EQ(result.output_files.size(), 2U);
  for (const OutputFile& file : result.output_files) {
    EXPECT_NE(file.name.find("\\x"), std::string::npos) << file.name;
  }
}

}  // namespace
}  // namespace cove
