#include "engine/key_ring.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random_id.h"
#include "engine/key_file.h"

namespace cove {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KeyRingTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<KeyRing> open(const std::string& environment = "") {
    auto ring = KeyRing::open(file_, environment);
    EXPECT_TRUE(ring.has_value()) << ring.error().message();
    return std::move(*ring);
  }
  std::string text() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& content) const {
    std::ofstream(file_ + ".new") << content;
    std::filesystem::rename(file_ + ".new", file_);
  }

  std::string directory_ = ::testing::TempDir() + random_id("cove_keys_");
  std::string file_ = directory_ + "/keys.toml";
};

KeyInfo key(std::string name) {
  return {std::move(name), {Scope::Execute}, {}, {}};
}

TEST_F(KeyRingTest, ASecretOpensWhatItsKeyMayDo) {
  auto ring = open();
  EXPECT_TRUE(ring->empty());
  KeyInfo limited = key("agent-1");
  limited.limits = {3, 2.5, {"strict"}, {"python", "sh"}, {"native", "image:reg.example/py:3"}};
  const auto secret = ring->add(limited);
  ASSERT_TRUE(secret.has_value()) << secret.error().message();
  EXPECT_EQ(secret->size(), 5 + 64);
  EXPECT_TRUE(secret->starts_with("cove_"));
  EXPECT_FALSE(ring->empty());

  const auto caller = ring->authenticate(*secret);
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->name, "agent-1");
  EXPECT_TRUE(caller->may(Scope::Execute));
  EXPECT_FALSE(caller->may(Scope::Sessions));
  EXPECT_EQ(caller->limits.concurrency, 3U);
  EXPECT_EQ(caller->limits.rate, 2.5);
  EXPECT_EQ(caller->limits.languages, (std::vector<std::string>{"python", "sh"}));
  EXPECT_EQ(caller->limits.backends,
            (std::vector<std::string>{"native", "image:reg.example/py:3"}));

  for (const std::string& wrong :
       {std::string(), *secret + "x", secret->substr(1), std::string("x")}) {
    EXPECT_EQ(ring->authenticate(wrong).error().code(), ErrorCode::Unauthorized);
  }
}

TEST_F(KeyRingTest, TheSecretIsStoredNowhereAndTheFileIsPrivate) {
  const auto secret = open()->add(key("a"));
  ASSERT_TRUE(secret.has_value());
  EXPECT_THAT(text(), Not(HasSubstr(secret->substr(5))));
  EXPECT_THAT(text(), HasSubstr("hash = \"sha256:" + sha256_hex(*secret)));
  struct stat about{};
  ASSERT_EQ(::stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  // Nothing but the file itself is left.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(KeyRingTest, TheKeyOfTheEnvironmentMayEverything) {
  auto ring = open("s3cret");
  EXPECT_FALSE(ring->empty());
  const auto caller = ring->authenticate("s3cret");
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->name, "env");
  EXPECT_TRUE(caller->may(Scope::Admin));
  EXPECT_FALSE(ring->authenticate("s3cre").has_value());
  auto without = KeyRing::open("", "");
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ((*without)->authenticate("").error().code(), ErrorCode::Unauthorized);
}

TEST_F(KeyRingTest, ARunningServerSeesKeysThatAreAddedAndRevoked) {
  auto server = open();
  auto command = open();
  const auto one = command->add(key("one"));
  const auto two = command->add(key("two"));
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(server->authenticate(*one).has_value());
  ASSERT_TRUE(command->revoke("one").has_value());
  EXPECT_FALSE(server->authenticate(*one).has_value());
  EXPECT_TRUE(server->authenticate(*two).has_value());
  ASSERT_EQ(server->list().size(), 1U);
  EXPECT_EQ(server->list().front().name, "two");
  const auto again = command->revoke("one");
  EXPECT_EQ(again.error().code(), ErrorCode::NotFound);
  EXPECT_THAT(again.error().message(), HasSubstr("are two"));
}

TEST_F(KeyRingTest, NamesAreCheckedAndUnique) {
  auto ring = open();
  ASSERT_TRUE(ring->add(key("a")).has_value());
  EXPECT_EQ(ring->add(key("a")).error().code(), ErrorCode::Conflict);
  for (const auto* name : {"", "env", "dev", "-a", "a b", "a\nb", "é", "a\"b"}) {
    const auto added = ring->add(key(name));
    ASSERT_FALSE(added.has_value()) << name;
    EXPECT_EQ(added.error().field(), "name");
  }
  KeyInfo powerless = key("b");
  powerless.scopes.clear();
  EXPECT_EQ(ring->add(powerless).error().field(), "scopes");
  KeyInfo odd = key("b");
  odd.limits.languages = {"py\"thon"};
  EXPECT_EQ(ring->add(odd).error().field(), "languages");
}

TEST_F(KeyRingTest, AMalformedFileIsAnErrorThatSaysWhere) {
  const struct {
    const char* text;
    const char* says;
  } cases[] = {
      {"[[key]\n", "keys.toml:1:7"},
      {"[[keys]]\n", "\"keys\""},
      {"key = 3\n", "\"key\""},
      {"[[key]]\nname = \"a\"\n", "key[0].hash"},
      {"[[key]]\nname = \"a\"\nhash = \"cove_1234\"\nscopes = []\ncreated = \"\"\n", "key[0].hash"},
  };
  for (const auto& c : cases) {
    write(c.text);
    const auto ring = KeyRing::open(file_, "");
    ASSERT_FALSE(ring.has_value()) << c.text;
    EXPECT_THAT(ring.error().message(), HasSubstr(c.says));
    EXPECT_THAT(ring.error().message(), HasSubstr(file_));
    EXPECT_THAT(ring.error().message(), Not(HasSubstr("cove_1234")));
  }
}

TEST_F(KeyRingTest, AFileThatBreaksWhileTheServerRunsClosesTheDoor) {
  auto ring = open("env-key");
  const auto secret = ring->add(key("a"));
  ASSERT_TRUE(secret.has_value());
  const std::string good = text();
  write(good + "oops\n");
  EXPECT_EQ(ring->authenticate(*secret).error().code(), ErrorCode::BackendUnavailable);
  EXPECT_TRUE(ring->authenticate("env-key").has_value());
  ASSERT_TRUE(ring->problem().has_value());
  EXPECT_FALSE(ring->empty());
  EXPECT_FALSE(ring->add(key("b")).has_value()) << "would lose what is in the file";
  write(good);
  EXPECT_TRUE(ring->authenticate(*secret).has_value());
  EXPECT_FALSE(ring->problem().has_value());
}

TEST_F(KeyRingTest, AFileThatOthersCanWriteIsRefused) {
  ASSERT_TRUE(open()->add(key("a")).has_value());
  ::chmod(file_.c_str(), 0622);
  const auto ring = KeyRing::open(file_, "");
  ASSERT_FALSE(ring.has_value());
  EXPECT_THAT(ring.error().message(), HasSubstr("chmod 600"));
}

TEST(KeyFileTest, SurvivesTheRoundTrip) {
  StoredKey stored;
  stored.info = {"a", {Scope::Execute, Scope::Admin}, {7, 1e6, {"strict_js"}, {"sh"}}, {}};
  stored.info.created = std::chrono::system_clock::time_point(std::chrono::milliseconds(1234));
  stored.hash = sha256("x");
  const auto back = parse_key_file(encode_key_file({stored}), "keys.toml");
  ASSERT_TRUE(back.has_value()) << back.error().message();
  ASSERT_EQ(back->size(), 1U);
  EXPECT_EQ(back->front().info.scopes, stored.info.scopes);
  EXPECT_EQ(back->front().info.created, stored.info.created);
  EXPECT_EQ(back->front().info.limits.rate, 1e6);
  EXPECT_EQ(back->front().hash, stored.hash);
}

TEST(KeyFileTest, DuplicateNamesAreRefused) {
  StoredKey stored;
  stored.info = {"a", {Scope::Execute}, {}, {}};
  const auto back = parse_key_file(encode_key_file({stored, stored}), "keys.toml");
  ASSERT_FALSE(back.has_value());
  EXPECT_THAT(back.error().message(), HasSubstr("key[1].name"));
}

TEST_F(KeyRingTest, ChangesAreTold) {
  const auto server = open();
  std::vector<std::string> told;
  server->on_change([&](const KeyChange& change) {
    for (const auto& name : change.added) told.push_back("+" + name);
    for (const auto& name : change.removed) told.push_back("-" + name);
    for (const auto& name : change.changed) told.push_back("~" + name);
  });
  const auto command = open();
  ASSERT_TRUE(command->add(key("ann")));
  static_cast<void>(server->authenticate("x"));
  ASSERT_TRUE(command->revoke("ann"));
  KeyInfo again = key("ann");
  again.scopes = {Scope::Metrics};
  ASSERT_TRUE(command->add(again));
  ASSERT_TRUE(command->add(key("ben")));
  static_cast<void>(server->authenticate("x"));
  write("this is no key file");
  static_cast<void>(server->authenticate("x"));
  ASSERT_TRUE(server->problem());
  std::filesystem::remove(file_);
  static_cast<void>(server->authenticate("x"));
  EXPECT_EQ(told, (std::vector<std::string>{"+ann", "+ben", "~ann", "-ann", "-ben"}));
}

TEST_F(KeyRingTest, WhatRootWritesBelongsToTheDirectorysOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(directory_.c_str(), 12345, 23456), 0);
  const auto owner = [&] {
    struct stat about{};
    EXPECT_EQ(::stat(file_.c_str(), &about), 0);
    return std::pair(about.st_uid, about.st_gid);
  };
  ASSERT_TRUE(open()->add(key("ann")));
  EXPECT_EQ(owner(), (std::pair<uid_t, gid_t>(12345, 23456)));
  ASSERT_EQ(::chown(file_.c_str(), 12346, 12346), 0);
  ASSERT_TRUE(open()->add(key("ben")));
  EXPECT_EQ(owner(), (std::pair<uid_t, gid_t>(12346, 12346))) << "a file keeps its own";
}

}  // namespace
}  // namespace cove
