#include "engine/kept_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/random_id.h"

namespace cove {
namespace {

using namespace std::chrono_literals;

// Both ways of keeping behave the same.
class KeptFilesTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) options_.directory = directory_;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::unique_ptr<KeptFiles> open() {
    auto files = KeptFiles::open(options_, now_);
    EXPECT_TRUE(files.has_value()) << files.error().message();
    return std::move(*files);
  }

  std::string directory_ = ::testing::TempDir() + random_id("cove_files_");
  KeptFilesOptions options_{"", 60s, Bytes::kib(100)};
  KeptFiles::Clock::time_point now_ = KeptFiles::Clock::now();
};

TEST_P(KeptFilesTest, KeepsAndExpires) {
  const auto files = open();
  const std::string content("a\0b", 3);
  ASSERT_TRUE(files->keep("exec_1", 0, content, now_).has_value());
  ASSERT_TRUE(files->keep("exec_1", 1, "", now_ + 30s).has_value());
  EXPECT_EQ(files->read("exec_1", 0, now_ + 59s).value(), content);
  EXPECT_EQ(files->read("exec_1", 0, now_ + 60s).error().code(), ErrorCode::Gone);
  EXPECT_EQ(files->read("exec_1", 1, now_ + 60s).value(), "");
  EXPECT_EQ(files->read("exec_1", 2, now_).error().code(), ErrorCode::Gone);
  files->expire(now_ + 2min);
  EXPECT_EQ(files->used(), Bytes{0});
  if (GetParam()) {
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
  }
}

TEST_P(KeptFilesTest, TheOldestMakeRoom) {
  const auto files = open();
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(files->keep("e", i, std::string(30'000, 'x'), now_).has_value());
    EXPECT_LE(files->used(), options_.bytes);
  }
  EXPECT_FALSE(files->read("e", 1, now_).has_value());
  EXPECT_TRUE(files->read("e", 4, now_).has_value());
  EXPECT_EQ(files->keep("e", 9, std::string(200'000, 'x'), now_).error().code(),
            ErrorCode::TooLarge);
  EXPECT_TRUE(files->read("e", 4, now_).has_value()) << "nothing gave way in vain";
  // Empty files take room too.
  for (std::size_t i = 100; i < 200; ++i) ASSERT_TRUE(files->keep("e", i, "", now_).has_value());
  EXPECT_FALSE(files->read("e", 100, now_).has_value());
}

TEST_P(KeptFilesTest, NothingOddBecomesAPath) {
  const auto files = open();
  for (const auto* id : {"", "..", "a/b", "../../etc/x", "A b"}) {
    EXPECT_FALSE(files->keep(id, 0, "x", now_).has_value()) << id;
    EXPECT_FALSE(files->read(id, 0, now_).has_value()) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, KeptFilesTest, ::testing::Bool(),
                         [](const auto& is) { return is.param ? "OnDisk" : "InMemory"; });

class KeptFilesOnDiskTest : public KeptFilesTest {};

TEST_P(KeptFilesOnDiskTest, ARestartTakesOverWhatIsWhole) {
  {
    const auto files = open();
    ASSERT_TRUE(files->keep("e", 0, "whole", now_).has_value());
    ASSERT_TRUE(files->keep("e", 1, "will be cut", now_).has_value());
    ASSERT_TRUE(files->keep("e", 2, "will be old", now_).has_value());
  }
  struct stat about{};
  ASSERT_EQ(::stat(directory_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
  std::ofstream(directory_ + "/e.3.part") << "half";
  std::filesystem::last_write_time(directory_ + "/e.2",
                                   std::filesystem::file_time_type::clock::now() - 2min);
  const auto files = open();
  EXPECT_EQ(files->read("e", 0, now_).value(), "whole");
  std::filesystem::resize_file(directory_ + "/e.1", 3);
  EXPECT_EQ(files->read("e", 1, now_).error().code(), ErrorCode::Gone);
  EXPECT_FALSE(files->read("e", 2, now_).has_value());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/e.3.part"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/e.2"));
}

INSTANTIATE_TEST_SUITE_P(OnDisk, KeptFilesOnDiskTest, ::testing::Values(true));

}  // namespace
}  // namespace cove
