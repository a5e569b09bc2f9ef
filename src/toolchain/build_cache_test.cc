#include "toolchain/build_cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace cove {
namespace {

namespace fs = std::filesystem;

class BuildCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "cove-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::unique_ptr<BuildCache> open(Bytes bound = Bytes::mib(1)) {
    auto cache = BuildCache::open(directory_ + "/cache", bound);
    EXPECT_TRUE(cache) << cache.error().message();
    return std::move(*cache);
  }
  static BuildOutput output(std::size_t size = 10) {
    BuildOutput out;
    out.files = {{"main", std::string(size, 'x'), {}}, {"a/B.class", "y", {}}};
    out.diagnostics = {{"warning", "unused", "W1", {}, {}, {}}};
    out.compiler_output = "said";
    return out;
  }

  std::string directory_;
};

TEST_F(BuildCacheTest, WhatWasStoredIsFoundByItsKeyAlsoByAnotherProcess) {
  auto cache = open();
  EXPECT_FALSE(cache->find("k1"));
  const auto stored = cache->store("k1", output());
  ASSERT_TRUE(stored) << stored.error().message();
  auto again = open();
  const auto found = again->find("k1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->compiler_output, "said");
  ASSERT_EQ(found->diagnostics.size(), 1U);
  EXPECT_EQ(found->diagnostics[0].code, "W1");
  EXPECT_EQ(fs::file_size(found->directory + "/a/B.class"), 1U);
  struct stat facts = {};
  ASSERT_EQ(::stat((found->directory + "/main").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0555U);
  EXPECT_FALSE(again->find("k2"));
}

TEST_F(BuildCacheTest, ABrokenEntryIsNoneAndIsReplaced) {
  auto cache = open();
  std::string path;
  {
    const auto stored = cache->store("k1", output());
    ASSERT_TRUE(stored);
    path = stored->directory + "/main";
  }
  fs::permissions(path, fs::perms::owner_all);
  fs::resize_file(path, 3);  // as after a crash of the machine
  EXPECT_FALSE(cache->find("k1"));
  const auto again = cache->store("k1", output());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(fs::file_size(again->directory + "/main"), 10U);
}

TEST_F(BuildCacheTest, TheOldestGoButNotWhatARunHolds) {
  auto cache = open(Bytes::kib(100));
  const auto held = cache->store("held", output(40'000));
  ASSERT_TRUE(held);
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(cache->store("k" + std::to_string(i), output(40'000)));
    fs::last_write_time(directory_ + "/cache/builds/k" + std::to_string(i),
                        fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  EXPECT_TRUE(fs::exists(held->directory + "/main"));
  EXPECT_FALSE(cache->find("k0"));
  EXPECT_TRUE(cache->find("k5"));
}

TEST_F(BuildCacheTest, SmallEntriesCountWithTheBlocksThatTheyTake) {
  auto cache = open(Bytes::kib(200));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(cache->store("k" + std::to_string(i), output(1)));
  const fs::directory_iterator entries(directory_ + "/cache/builds");
  EXPECT_LT(std::distance(begin(entries), end(entries)), 12);
}

TEST_F(BuildCacheTest, ThereAreNeverTooMany) {
  auto cache = open(Bytes::gib(1));
  for (int i = 0; i < 4001; ++i) {
    fs::create_directory(directory_ + "/cache/builds/old" + std::to_string(i));
  }
  ASSERT_TRUE(cache->store("k", output()));
  const fs::directory_iterator entries(directory_ + "/cache/builds");
  EXPECT_LE(std::distance(begin(entries), end(entries)), 3201);
  EXPECT_TRUE(cache->find("k"));
}

TEST_F(BuildCacheTest, WhatCouldNotBeReadBackIsNotKept) {
  auto cache = open(Bytes::gib(1));
  BuildOutput large = output();
  large.compiler_output.assign(17 << 20, 'x');
  EXPECT_FALSE(cache->store("k", large));
  EXPECT_TRUE(fs::is_empty(directory_ + "/cache/builds"));
}

TEST_F(BuildCacheTest, ManyAtOnceKeepOne) {
  auto cache = open();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto build = cache->store("k" + std::to_string(round), output());
        if (build && fs::exists(build->directory + "/main")) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
  for (const auto& entry : fs::directory_iterator(directory_ + "/cache")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("tmp-")) << entry.path();
  }
}

// Entries come and go under the same names, and some are broken: what somebody holds stays.
TEST_F(BuildCacheTest, WhatIsHeldStaysWhateverOthersDo) {
  auto cache = open(Bytes::kib(40));
  std::atomic<int> lost{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 150; ++round) {
        const std::string key = "k" + std::to_string((round + i) % 5);
        const auto build = cache->store(key, output(20'000));
        if (!build) continue;
        std::this_thread::yield();
        if (!fs::exists(build->directory + "/a/B.class")) ++lost;
      }
    });
  }
  threads.emplace_back([&] {
    for (int round = 0; round < 150; ++round) {
      std::error_code ignored;
      fs::create_directory(directory_ + "/cache/builds/k" + std::to_string(round % 5), ignored);
    }
  });
  threads.clear();
  EXPECT_EQ(lost, 0);
}

// A rename would take the place of an empty directory, and who removes that takes the new one away.
TEST_F(BuildCacheTest, NothingIsMovedOntoWhatSomebodyIsRemoving) {
  auto cache = open();
  const std::string path = directory_ + "/cache/builds/k";
  fs::create_directory(path);
  {
    const UniqueFd removing(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::flock(removing.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_FALSE(cache->store("k", output()));
    EXPECT_TRUE(fs::is_empty(path));
  }
  EXPECT_TRUE(cache->store("k", output()));
}

// A process that dies in the middle leaves whole entries, or none.
TEST_F(BuildCacheTest, ACrashLeavesNothingHalfDone) {
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto cache = open();
      for (int i = 0;; ++i) {
        (void)cache->store("k" + std::to_string(round) + "-" + std::to_string(i), output(20'000));
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  auto cache = open(Bytes::gib(1));
  int found = 0;
  for (const auto& entry : fs::directory_iterator(directory_ + "/cache/builds")) {
    const auto build = cache->find(entry.path().filename().string());
    EXPECT_TRUE(build) << entry.path();
    found += build ? 1 : 0;
  }
  EXPECT_GT(found, 0);
  EXPECT_TRUE(cache->store("after", output()));
}

TEST_F(BuildCacheTest, WhatFailedIsKeptAsFailed) {
  auto cache = open();
  BuildOutput failed = output();
  failed.files.clear();
  failed.failed = true;
  ASSERT_TRUE(cache->store("k", failed));
  const auto found = cache->find("k");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->failed);
  EXPECT_EQ(found->diagnostics.size(), 1U);
}

TEST_F(BuildCacheTest, WhatWasPreparedGoesWhenItIsOldAndTooMuch) {
  auto cache = open(Bytes::kib(10));
  const auto make = [](const std::string& directory) -> Result<> {
    std::ofstream(directory + "/x") << std::string(8000, 'x');
    return {};
  };
  const auto old = cache->prepare("old", make, {});
  const auto used = cache->prepare("used", make, {});
  ASSERT_TRUE(old && used);
  EXPECT_TRUE(fs::exists(*old));  // too much, but perhaps somebody is using it
  fs::last_write_time(*old, fs::file_time_type::clock::now() - std::chrono::hours(5));
  ASSERT_TRUE(cache->prepare("new", make, {}));
  EXPECT_FALSE(fs::exists(*old));
  EXPECT_TRUE(fs::exists(*used));
}

TEST_F(BuildCacheTest, ADirectoryThatOthersCanWriteToIsNotTrusted) {
  fs::create_directories(directory_ + "/cache");
  ASSERT_EQ(::chmod((directory_ + "/cache").c_str(), 0777), 0);
  std::string used;
  {
    auto cache = open();
    used = cache->directory();
    EXPECT_NE(used, directory_ + "/cache");
    EXPECT_TRUE(cache->store("k", output()));
  }
  EXPECT_FALSE(fs::exists(used));  // a private one goes with its owner
}

// Who can write to a directory above it can put another one in its place.
TEST_F(BuildCacheTest, NorIsOneBelowADirectoryThatOthersCanWriteTo) {
  fs::create_directories(directory_ + "/open/mine");
  const std::string asked = directory_ + "/open/mine/cache";
  const auto problem = [&](mode_t mode) {
    EXPECT_EQ(::chmod((directory_ + "/open").c_str(), mode), 0);
    const auto cache = BuildCache::open(asked);
    EXPECT_TRUE(cache) << cache.error().message();
    EXPECT_EQ((*cache)->directory() == asked, (*cache)->problem().empty());
    return (*cache)->problem();
  };
  for (const mode_t mode : {0777, 0775, 0757}) {
    EXPECT_NE(problem(mode).find(directory_ + "/open can be written to by others"),
              std::string::npos)
        << problem(mode);
  }
  EXPECT_EQ(problem(01777), "");  // as /tmp is
  EXPECT_EQ(problem(0755), "");
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((directory_ + "/open").c_str(), 12345, 12345), 0);
  EXPECT_NE(problem(0755).find("/open belongs to user 12345"), std::string::npos);
}

// What a link leads to may be another directory tomorrow.
TEST_F(BuildCacheTest, ALinkOnTheWayIsFollowedOnce) {
  fs::create_directories(directory_ + "/real");
  fs::create_symlink(directory_ + "/real", directory_ + "/link");
  const auto cache = BuildCache::open(directory_ + "/link/cache");
  ASSERT_TRUE(cache);
  EXPECT_EQ((*cache)->directory(), directory_ + "/real/cache");
  fs::create_symlink(directory_ + "/real/cache", directory_ + "/end");
  EXPECT_NE((*BuildCache::open(directory_ + "/end"))->problem(), "");
}

TEST_F(BuildCacheTest, OneBuildsTheSameAtATimeOverAllProcesses) {
  using std::chrono::milliseconds;
  auto cache = open();
  auto other = open();  // as another process has it
  auto first = cache->lock_build("k", {}, std::nullopt);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->waited);
  const auto soon = [] { return std::chrono::steady_clock::now() + milliseconds(30); };
  EXPECT_FALSE(other->lock_build("k", {}, soon()));
  EXPECT_TRUE(other->lock_build("k2", {}, soon()));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(other->lock_build("k", stop.get_token(), std::nullopt));
  std::jthread ends([&first] {
    std::this_thread::sleep_for(milliseconds(50));
    first.reset();
  });
  const auto second = other->lock_build("k", {}, std::nullopt);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->waited);
  const auto files = fs::directory_iterator(directory_ + "/cache");
  EXPECT_EQ(std::distance(begin(files), end(files)), 3);  // builds, prepared, one lock file
}

TEST_F(BuildCacheTest, ALockGoesWithItsProcess) {
  auto cache = open();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = cache->lock_build("k", {}, std::nullopt);
    ::_exit(lock ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(cache->lock_build("k", {}, std::chrono::steady_clock::now()));
}

TEST_F(BuildCacheTest, ALinkToADirectoryIsNotTrusted) {
  fs::create_directories(directory_ + "/elsewhere");
  fs::create_directory_symlink(directory_ + "/elsewhere", directory_ + "/cache");
  auto cache = open();
  EXPECT_NE(cache->directory(), directory_ + "/cache");
  EXPECT_TRUE(fs::is_empty(directory_ + "/elsewhere"));
}

TEST_F(BuildCacheTest, AnEntryOfAnotherUserIsNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give it away";
  auto cache = open();
  ASSERT_TRUE(cache->store("k", output()));
  ASSERT_EQ(::chown((directory_ + "/cache/builds/k").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache->find("k"));
}

// Whoever prepared it, nobody can write to it afterwards, nor to what it links to.
TEST_F(BuildCacheTest, WhatWasPreparedIsTakenOver) {
  auto cache = open();
  const std::string outside = directory_ + "/outside";
  std::ofstream(outside) << "x";
  ASSERT_EQ(::chmod(outside.c_str(), 0666), 0);
  const auto path = cache->prepare("p",
                                   [&](const std::string& directory) -> Result<> {
                                     fs::create_directory(directory + "/d");
                                     std::ofstream(directory + "/d/f") << "y";
                                     fs::create_symlink(outside, directory + "/link");
                                     (void)::chmod((directory + "/d").c_str(), 0777);
                                     (void)::chmod((directory + "/d/f").c_str(), 0666);
                                     if (::geteuid() != 0) return {};
                                     (void)::chown((directory + "/d/f").c_str(), 65534, 65534);
                                     (void)::chown(directory.c_str(), 65534, 65534);
                                     return {};
                                   },
                                   {});
  ASSERT_TRUE(path);
  for (const char* name : {"", "/d", "/d/f"}) {
    struct stat facts = {};
    ASSERT_EQ(::stat((*path + name).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_uid, ::geteuid()) << name;
    EXPECT_EQ(facts.st_mode & 022U, 0U) << name;
  }
  struct stat facts = {};
  ASSERT_EQ(::stat(outside.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0666U);
}

TEST_F(BuildCacheTest, PreparesOnceAndKeepsNothingThatFailed) {
  auto cache = open();
  int made = 0;
  const auto failed = cache->prepare(
      "p", [](const std::string&) -> Result<> { return Err(Error(ErrorCode::Internal, "no")); },
      {});
  EXPECT_FALSE(failed);
  for (int i = 0; i < 2; ++i) {
    const auto path = cache->prepare("p",
                                     [&](const std::string& directory) -> Result<> {
                                       ++made;
                                       std::ofstream(directory + "/x") << "y";
                                       return {};
                                     },
                                     {});
    ASSERT_TRUE(path) << path.error().message();
    EXPECT_TRUE(fs::exists(*path + "/x"));
  }
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace cove
