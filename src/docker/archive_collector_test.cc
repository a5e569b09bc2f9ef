#include "docker/archive_collector.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

ExecutionResult collect(const std::string& archive, CollectOptions options) {
  ExecutionResult result;
  ArchiveCollector collector(options, result);
  for (std::size_t at = 0; at < archive.size(); at += 700) {
    if (!collector.feed(std::string_view(archive).substr(at, 700))) break;
  }
  collector.finish();
  return result;
}

CollectOptions with_contents() {
  CollectOptions options;
  options.contents = true;
  return options;
}

TEST(ArchiveCollector, FindsFilesByNameWithTheirContent) {
  TarWriter tar;
  tar.directory(".");
  tar.file("./z.txt", "last");
  tar.directory("./d");
  tar.file("./d/a.json", "{}");
  const auto result = collect(tar.finish(), with_contents());
  ASSERT_EQ(result.output_files.size(), 2U);
  EXPECT_EQ(result.output_files[0].name, "d/a.json");
  EXPECT_EQ(result.output_files[0].mime_type, "application/json");
  EXPECT_EQ(result.output_files[1].name, "z.txt");
  EXPECT_EQ(result.output_files[1].content, "last");
  EXPECT_FALSE(result.output_files_incomplete);
}

TEST(ArchiveCollector, LeavesOutWhatTheRequestBroughtUnchanged) {
  const std::vector<ExecFile> files{{"same", "abc", {}}, {"changed", "abc", {}}};
  TarWriter tar;
  tar.file("./same", "abc");
  tar.file("./changed", "abd");
  CollectOptions options;
  options.request_files = files;
  const auto result = collect(tar.finish(), options);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].name, "changed");
  EXPECT_FALSE(result.output_files[0].content.has_value());
}

TEST(ArchiveCollector, SkipsLinksWithBothNamesOfAHardLink) {
  TarWriter tar;
  tar.file("./first", "x");
  tar.symbolic_link("./away", "/etc/passwd");
  std::string archive = tar.finish();
  // A hard link, as tar writes it: header only, naming the first.
  TarWriter link;
  link.symbolic_link("./second", "./first");
  std::string header = link.finish();
  header[156] = '1';
  header[154] = '\0';
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
  }
  std::snprintf(header.data() + 148, 7, "%06o", sum);
  header[155] = ' ';
  archive.replace(archive.size() - 1024, 1024, header);
  ExecutionResult result;
  const CollectOptions options = with_contents();
  ArchiveCollector collector(options, result);
  ASSERT_TRUE(collector.feed(archive));
  collector.add_socket("./s");
  collector.finish();
  EXPECT_TRUE(result.output_files.empty());
  ASSERT_EQ(result.skipped_files.size(), 4U);
  EXPECT_EQ(result.skipped_files[0].reason, "symbolic link");
  EXPECT_EQ(result.skipped_files[1].name, "first");
  EXPECT_EQ(result.skipped_files[1].reason, "hard link");
  EXPECT_EQ(result.skipped_files[2].reason, "socket");
  EXPECT_EQ(result.skipped_files[3].name, "second");
}

TEST(ArchiveCollector, HoldsToItsCaps) {
  TarWriter tar;
  for (int i = 0; i < 5; ++i) tar.file("./f" + std::to_string(i), std::string(1000, 'x'));
  CollectOptions options = with_contents();
  options.max_files = 4;
  options.max_file = Bytes{600};
  options.max_total = Bytes{1500};
  const auto result = collect(tar.finish(), options);
  ASSERT_EQ(result.output_files.size(), 4U);
  EXPECT_TRUE(result.output_files_incomplete);
  EXPECT_EQ(result.output_files[0].content->size(), 600U);
  EXPECT_TRUE(result.output_files[0].truncated);
  EXPECT_EQ(result.output_files[2].content->size(), 300U);
  EXPECT_EQ(result.output_files[3].content->size(), 0U);
  EXPECT_EQ(result.output_files[3].size.value, 1000U);
}

TEST(ArchiveCollector, DepthNamesAndABrokenEnd) {
  TarWriter tar;
  tar.file("./a/b/c/deep", "x");
  tar.file("./odd\n\x1B[31m", "x");
  CollectOptions options = with_contents();
  options.max_depth = 2;
  std::string archive = tar.finish();
  archive.resize(archive.size() - 1024);
  const auto result = collect(archive, options);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].name.find('\n'), std::string::npos);
  EXPECT_TRUE(result.output_files_incomplete);
}

TEST(ArchiveCollector, SkippedFilesAreBounded) {
  TarWriter tar;
  for (int i = 0; i < 300; ++i) tar.symbolic_link("./l" + std::to_string(i), "x");
  const auto result = collect(tar.finish(), with_contents());
  EXPECT_EQ(result.skipped_files.size(), 100U);
  EXPECT_TRUE(result.output_files_incomplete);
}

}  // namespace
}  // namespace cove
