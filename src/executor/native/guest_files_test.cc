#include "executor/native/guest_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace cove {
namespace {

namespace fs = std::filesystem;

// A guest that never was: only its directory is real.
class GuestFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "cove-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* part : {"workspace", "code"}) {
      const std::string path = root_ + "/" + part;
      fs::create_directory(path);
      if (::geteuid() != 0) continue;
      ASSERT_EQ(::chown(path.c_str(), kUid, kUid), 0);
    }
    ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
    guest_.scratch.reset(::open(root_.c_str(), O_DIRECTORY | O_CLOEXEC));
    guest_.uid = ::geteuid() == 0 ? kUid : ::geteuid();
    guest_.gid = ::geteuid() == 0 ? kUid : ::getegid();
  }
  void TearDown() override { fs::remove_all(root_); }

  Result<> write(const std::string& extension = "py", bool link_files = false) {
    LanguageProfile profile;
    profile.extension = extension;
    profile.link_files = link_files;
    return write_guest_files(guest_, request_, profile, "/workspace");
  }
  std::string content(const std::string& name) const {
    std::ifstream in(root_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  uid_t owner(const std::string& name) const {
    struct stat facts = {};
    EXPECT_EQ(::lstat((root_ + "/" + name).c_str(), &facts), 0) << name;
    return facts.st_uid;
  }

  static constexpr uid_t kUid = 4321;
  std::string root_;
  sandbox::Guest guest_;
  ExecutionRequest request_;
};

TEST_F(GuestFiles, ProgramInputAndFilesArriveAndBelongToTheGuest) {
  request_.code = std::string("print(1)\0", 9);
  request_.input = json::parse(R"({"x": [1]})");
  request_.files = {
      {"a.txt", "A", {}}, {"in/deep/b.bin", std::string("\0\xff", 2), {}}, {"in/empty", "", {}}};
  const auto written = write();
  ASSERT_TRUE(written.has_value()) << written.error().message();
  EXPECT_EQ(content("code/main.py"), request_.code);
  EXPECT_EQ(content("code/input.json"), R"({"x":[1]})");
  EXPECT_EQ(content("workspace/a.txt"), "A");
  EXPECT_EQ(content("workspace/in/deep/b.bin"), std::string("\0\xff", 2));
  for (const char* name : {"code/main.py", "code/input.json", "workspace/a.txt", "workspace/in",
                           "workspace/in/deep", "workspace/in/deep/b.bin", "workspace/in/empty"}) {
    EXPECT_EQ(owner(name), guest_.uid) << name;
  }
}

TEST_F(GuestFiles, ThisThreadKeepsItsOwnRights) {
  ASSERT_TRUE(write().has_value());
  const std::string mine = root_ + "/mine";
  std::ofstream(mine) << "x";
  EXPECT_EQ(owner("mine"), ::geteuid());
}

TEST_F(GuestFiles, AProgramFileMadeAheadIsFilledLater) {
  ASSERT_TRUE(make_program_file(guest_, "js").has_value());
  EXPECT_EQ(content("code/main.js"), "");
  request_.code = "1";
  ASSERT_TRUE(write("js").has_value());
  EXPECT_EQ(content("code/main.js"), "1");
}

TEST_F(GuestFiles, NoLinkIsFollowed) {
  const std::string outside = root_ + "/outside";
  fs::create_directory(outside);
  fs::permissions(outside, fs::perms::all);
  fs::create_symlink(outside, root_ + "/workspace/way");
  request_.files = {{"way/x", "X", {}}};
  EXPECT_FALSE(write().has_value());
  EXPECT_FALSE(fs::exists(outside + "/x"));
}

TEST_F(GuestFiles, FilesCanBeSeenBesideTheProgramWhereALanguageLooksThere) {
  request_.files = {{"lib/a.js", "A", {}}, {"lib/b.js", "B", {}}, {"c.js", "C", {}}};
  ASSERT_TRUE(write("js", true).has_value());
  EXPECT_EQ(fs::read_symlink(root_ + "/code/lib"), "/workspace/lib");
  EXPECT_EQ(fs::read_symlink(root_ + "/code/c.js"), "/workspace/c.js");
  EXPECT_EQ(content("workspace/lib/b.js"), "B");
}

TEST_F(GuestFiles, AFileThatIsThereTwiceIsRefused) {
  request_.files = {{"a", "first", {}}, {"a", "second", {}}};
  EXPECT_FALSE(write().has_value());
  EXPECT_EQ(content("workspace/a"), "first");
}

TEST_F(GuestFiles, TheProgramIsNotWrittenThroughALink) {
  fs::create_symlink(root_ + "/target", root_ + "/code/main.py");
  request_.code = "x";
  EXPECT_FALSE(write().has_value());
  EXPECT_FALSE(fs::exists(root_ + "/target"));
}

}  // namespace
}  // namespace cove
