#include "engine/audit_log.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "engine/testing/full_disk.h"

namespace cove {
namespace {

using ::testing::HasSubstr;

class AuditLogTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::unique_ptr<AuditLog> open() {
    auto log = AuditLog::open(path_);
    EXPECT_TRUE(log.has_value()) << log.error().message();
    return std::move(*log);
  }
  void append(int count) {
    const auto log = open();
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(log->append("ci", "execution.end", {{"n", i}, {"outcome", "success"}}));
    }
  }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    const std::string all = text();
    for (const auto line : split(all, '\n')) out.emplace_back(line);
    return out;
  }
  AuditVerdict verify() const {
    auto verdict = verify_audit_log(path_);
    EXPECT_TRUE(verdict.has_value());
    return *verdict;
  }

  std::string path_ = ::testing::TempDir() + random_id("cove_audit_");
};

TEST_F(AuditLogTest, TheChainGoesOnAfterARestart) {
  append(2);
  append(3);
  const auto verdict = verify();
  EXPECT_EQ(verdict.bad_line, 0U) << verdict.why;
  EXPECT_EQ(verdict.entries, 5U);
  const auto last = parse_audit_line(lines().at(4));
  ASSERT_TRUE(last.has_value()) << last.error().message();
  EXPECT_EQ(last->entry.sequence, 5U);
  EXPECT_EQ(last->entry.who, "ci");
  EXPECT_EQ(last->entry.details.at("n").as_int64(), 2);
  EXPECT_EQ(last->hash, verdict.last_hash);
  struct stat about{};
  ASSERT_EQ(::stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(AuditLogTest, AnyChangeIsFoundInItsLine) {
  append(5);
  const auto good = lines();
  const auto with = [&](auto change) {
    auto changed = good;
    change(changed);
    write(join(changed, "\n"));
    return verify();
  };
  auto verdict = with([](auto& l) { l[2].replace(l[2].find("success"), 7, "failure"); });
  EXPECT_EQ(verdict.bad_line, 3U);
  EXPECT_THAT(verdict.why, HasSubstr("was changed"));
  verdict = with([](auto& l) { l.erase(l.begin() + 1); });
  EXPECT_EQ(verdict.bad_line, 2U);
  EXPECT_THAT(verdict.why, HasSubstr("does not follow"));
  verdict = with([](auto& l) { std::swap(l[1], l[2]); });
  EXPECT_EQ(verdict.bad_line, 2U);
  verdict = with([](auto& l) { l.insert(l.begin() + 3, l[2]); });
  EXPECT_EQ(verdict.bad_line, 4U);
  verdict = with([](auto& l) { l.insert(l.begin(), ""); });
  EXPECT_EQ(verdict.bad_line, 1U);
  verdict = with([](auto& l) { l[3] = std::string(300'000, 'x'); });
  EXPECT_EQ(verdict.bad_line, 4U);
  verdict = with([](auto& l) { l[4] = std::string("\0\xff", 2); });
  EXPECT_EQ(verdict.bad_line, 5U);
  verdict = with([](auto& l) { l.resize(3); });
  EXPECT_EQ(verdict.bad_line, 3U) << "without its line feed it is unfinished";
}

TEST_F(AuditLogTest, ATornLineIsCutOffAndSaid) {
  append(3);
  const std::string whole = text();
  for (const std::size_t cut : {1UL, 20UL, 200UL}) {
    write(whole.substr(0, whole.size() - cut));
    EXPECT_EQ(verify().bad_line, 3U);
    append(1);
    const auto verdict = verify();
    EXPECT_EQ(verdict.bad_line, 0U) << verdict.why;
    EXPECT_EQ(verdict.entries, 4U);
    EXPECT_EQ(parse_audit_line(lines().at(2))->entry.what, "audit.torn");
  }
  write("{\"seq\":1,");
  append(1);
  EXPECT_EQ(verify().entries, 2U);
}

TEST_F(AuditLogTest, ADamagedEndIsNotBuiltUpon) {
  append(2);
  write(text() + "garbage\n");
  const auto log = AuditLog::open(path_);
  ASSERT_FALSE(log.has_value());
  EXPECT_THAT(log.error().message(), HasSubstr("cove audit verify"));
  write(std::string(200'000, '\0'));
  EXPECT_FALSE(AuditLog::open(path_).has_value());
}

TEST_F(AuditLogTest, AFullDiskLeavesAGapThatIsSaid) {
  const auto log = open();
  ASSERT_TRUE(log->append("a", "before", {}).has_value());
  {
    const FullDisk full(text().size() + 10);  // a part of the next line fits
    EXPECT_FALSE(log->append("a", "lost", {}).has_value());
    EXPECT_FALSE(log->append("a", "lost", {}).has_value());
    EXPECT_EQ(log->lost(), 2U);
    EXPECT_THAT(log->problem().value_or(""), HasSubstr("File too large"));
    EXPECT_EQ(verify().bad_line, 0U) << "no half line is left";
  }
  ASSERT_TRUE(log->append("a", "after", {}).has_value());
  EXPECT_FALSE(log->problem().has_value());
  EXPECT_EQ(verify().bad_line, 0U);
  const auto gap = parse_audit_line(lines().at(1));
  EXPECT_EQ(gap->entry.what, "audit.gap");
  EXPECT_EQ(gap->entry.details.at("lost").as_int64(), 2);
  EXPECT_EQ(parse_audit_line(lines().at(2))->entry.what, "after");
}

TEST_F(AuditLogTest, EntriesAreBounded) {
  const auto log = open();
  const auto refused = log->append("a", "b", {{"x", std::string(100'000, 'y')}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::TooLarge);
  ASSERT_TRUE(log->append("a\xff\n", "b\"", {{"x", "\n"}}).has_value());
  ASSERT_TRUE(log->append("a", "b", {{"x", "\xc3"}, {"y\xff", 1}}).has_value());
  json::value deep = 1;
  for (int i = 0; i < 100; ++i) deep = json::array{deep};
  EXPECT_FALSE(log->append("a", "b", {{"deep", deep}}).has_value());
  const auto verdict = verify();
  EXPECT_EQ(verdict.entries, 2U);
  EXPECT_EQ(verdict.bad_line, 0U) << verdict.why;
}

TEST_F(AuditLogTest, ThreadsAppendInOneChain) {
  {
    const auto log = open();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) static_cast<void>(log->append("a", "b", {{"i", i}}));
      });
    }
  }
  EXPECT_EQ(verify().entries, 400U);
}

TEST_F(AuditLogTest, AMissingFileIsAnError) {
  EXPECT_FALSE(verify_audit_log(path_).has_value());
}

TEST_F(AuditLogTest, ACutOffEndShowsAgainstAnEarlierHash) {
  append(3);
  const std::string noted = verify().last_hash;
  append(2);
  EXPECT_TRUE(verify_audit_log(path_, noted)->has_expected);
  const auto all = lines();
  write(all[0] + "\n" + all[1] + "\n");
  const auto cut = verify_audit_log(path_, noted);
  EXPECT_EQ(cut->bad_line, 0U) << "the rest is a good chain";
  EXPECT_FALSE(cut->has_expected);
}

}  // namespace
}  // namespace cove
