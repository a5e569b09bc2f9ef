// Cases 25–47 (without 41, archives): files and their collection.
#include <grp.h>
#include <unistd.h>

#include <algorithm>

#include "attack_fixture.h"
#include "model/result_codec.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

const OutputFile* find_file(const ExecutionResult& result, std::string_view name) {
  const auto found = std::ranges::find(result.output_files, name, &OutputFile::name);
  return found == result.output_files.end() ? nullptr : &*found;
}

std::string reason_of(const ExecutionResult& result, std::string_view name) {
  const auto found = std::ranges::find(result.skipped_files, name, &SkippedFile::name);
  return found == result.skipped_files.end() ? "(not skipped)" : found->reason;
}

TEST_P(Attack, Case25To30NotRegularFiles) {
  ExecutionRequest request = program("25_links_as_output.py");
  request.collect_file_contents = true;
  const auto result = attack(request, "collection by descriptors, no link followed");
  EXPECT_TRUE(result.is_success()) << describe(result);
  for (const char* link : {"passwd", "environ", "urandom", "directory", "relative", "twice"}) {
    EXPECT_NE(reason_of(result, link).find("link"), std::string::npos) << link;
    EXPECT_EQ(find_file(result, link), nullptr) << link;
  }
  EXPECT_NE(reason_of(result, "fifo"), "(not skipped)");
  EXPECT_EQ(reason_of(result, "one_name"), "hard link");
  EXPECT_EQ(reason_of(result, "two_names"), "hard link");
  expect_facts(
      result,
      {{"character_device", "EACCES"}, {"block_device", "EACCES"}, {"hard_link_program", "EXDEV"}});
  EXPECT_NE(fact(seen(result), "hard_link_passwd"), "OK");  // EXDEV; of another's file EPERM
  if (namespaces()) {
    EXPECT_NE(reason_of(result, "socket"), "(not skipped)") << describe(result);
  } else {
    expect_facts(result, {{"unix_socket", kNoSuchSocket}});
  }
  ASSERT_NE(find_file(result, "honest"), nullptr) << describe(result);
  EXPECT_EQ(find_file(result, "honest")->content.value_or(""), "honest");
  EXPECT_EQ(result.output_files.size(), 1U) << describe(result);
}

TEST_P(Attack, Case26And27SwapWhileCollecting) {
  ExecutionRequest request = program("26_swaps_while_collecting.py");
  request.collect_file_contents = true;
  for (int round = 0; round < 3; ++round) {
    const auto result = attack(request, "the tree is dead before files are collected");
    EXPECT_TRUE(result.is_success()) << describe(result);
    EXPECT_FALSE(result.output_files.empty());
    for (const auto& file : result.output_files) {
      EXPECT_EQ(file.content.value_or(""), "mine") << file.name;
    }
  }
}

TEST_P(Attack, Case31OddNames) {
  ExecutionRequest request = program("31_odd_names.py");
  request.collect_file_contents = true;
  const auto result = attack(request, "names are escaped");
  EXPECT_EQ(static_cast<std::int64_t>(result.output_files.size()), number(seen(result), "made"))
      << describe(result);
  expect_facts(result, {{"nul", "ValueError"}, {"too_long", "ENAMETOOLONG"}});
  for (const auto& file : result.output_files) {
    EXPECT_EQ(file.name.find('\n'), std::string::npos);
    EXPECT_EQ(file.name.find('\x1b'), std::string::npos);
  }
  const auto back = decode_result_text(encode_result_text(result));
  ASSERT_TRUE(back) << back.error().message();
  for (std::size_t i = 0; i < result.output_files.size(); ++i) {
    EXPECT_EQ(back->output_files.at(i).name, result.output_files[i].name) << "not plain text";
  }
}

TEST_P(Attack, Case32DeepTree) {
  ExecutionRequest request = program("32_deep_tree.py");
  request.language = "python";  // room for that many directories
  request.timeout = 15s;        // Landlock looks at every parent of every new directory
  const auto result = attack(request, "depth cap of the collection");
  EXPECT_TRUE(result.is_success()) << describe(result);
  EXPECT_EQ(number(seen(result), "depth"), 4'000) << describe(result);
  EXPECT_TRUE(result.output_files.empty());
  EXPECT_TRUE(result.output_files_incomplete);
}

TEST_P(Attack, Case33ManyFiles) {
  ExecutionRequest request = program("33_many_files.py");
  request.args = {"3000"};
  const auto result = attack(request, "inodes of the tmpfs; count cap of the collection");
  EXPECT_LE(result.output_files.size(), 1000U);
  if (can_limit_disk()) {
    expect_facts(result, {{"stopped", "ENOSPC"}});
    EXPECT_LT(number(seen(result), "made"), kInodes);
    EXPECT_TRUE(hit(result, LimitHit::Disk));
  } else {
    EXPECT_EQ(number(seen(result), "made"), 3000);
    EXPECT_TRUE(result.output_files_incomplete);
    EXPECT_TRUE(declared("disk use is not bounded"));
  }
}

TEST_P(Attack, Case34SparseFile) {
  ExecutionRequest request = program("34_sparse.py");
  request.collect_file_contents = true;
  const auto result = attack(request, "RLIMIT_FSIZE");
  expect_facts(result, {{"terabyte", "EFBIG"}, {"far_write", "EFBIG"}, {"fallocate", "EFBIG"}});
  const auto* file = find_file(result, "huge");
  if (can_limit_disk()) {
    ASSERT_NE(file, nullptr) << describe(result);
    EXPECT_EQ(file->size.value, 4U << 20U);
  }
}

TEST_P(Attack, Case35FallocateBomb) {
  const auto result = attack("35_fallocate.py", "size of the tmpfs; RLIMIT_FSIZE");
  expect_facts(result, {{"too_large", "EFBIG"}});
  if (can_limit_disk()) {
    expect_facts(result, {{"stopped", "ENOSPC"}});
    EXPECT_LE(number(seen(result), "total"), static_cast<std::int64_t>(kDisk));
  } else {
    EXPECT_TRUE(declared("disk use is not bounded"));
  }
}

TEST_P(Attack, Case36FillAndLeave) {
  const auto full = attack("36_fill_and_leave.py", "size of the tmpfs; RLIMIT_FSIZE");
  expect_facts(full, {{"stopped", by_level("ENOSPC", "EFBIG")}});
  if (can_limit_disk()) {
    EXPECT_TRUE(hit(full, LimitHit::Disk)) << describe(full);
  }
  const auto next = attack("36_has_space.py", "a fresh tmpfs, or directory, a guest");
  EXPECT_EQ(number(seen(next), "written"), 6 << 20) << describe(next);
}

TEST_P(Attack, Case37GrowsWhileRead) {
  ExecutionRequest request = program("37_grows.py");
  request.collect_file_contents = true;
  const auto result = attack(request, "the tree is dead before files are collected");
  ASSERT_NE(find_file(result, "growing"), nullptr) << describe(result);
  const auto& file = *find_file(result, "growing");
  EXPECT_EQ(file.content.value_or("").size(), file.size.value);
  EXPECT_LE(file.size.value, kDisk);
}

TEST_P(Attack, Case38BlocksRemoval) {
  const auto result =
      attack("38_blocks_removal.py", "the mount goes away, or removal opens the way");
  EXPECT_TRUE(result.is_success()) << describe(result);
  const auto facts = seen(result);
  EXPECT_NE(fact(facts, "immutable"), "OK");
  EXPECT_EQ(fact(facts, "closed"), by_level(R"(["OK","OK","OK"])", R"(["EPERM","EPERM","EPERM"])"));
  EXPECT_NE(find_file(result, "closed/inner/file"), nullptr) << describe(result);
}

TEST_P(Attack, Case39ForgesTimes) {
  ExecutionRequest request = program("39_forges_times.py");
  request.files.push_back({"input.txt", "honest", {}});
  request.collect_file_contents = true;
  const auto result = attack(request, "contents are compared, not time stamps");
  expect_facts(result, {{"utime", by_level("OK", "EPERM")}});
  ASSERT_NE(find_file(result, "input.txt"), nullptr) << describe(result);
  EXPECT_EQ(find_file(result, "input.txt")->content.value_or(""), "forged");
}

TEST_P(Attack, Case40InputNames) {
  for (const std::string& name :
       {std::string("../x"), std::string("/etc/x"), std::string("a/../../x"),
        std::string("a\0b", 3), std::string(""), std::string("."), std::string("a//b"),
        std::string("a/./b"), std::string(300, 'x'), std::string("a/")}) {
    ExecutionRequest request = program("next_job.py");
    request.files.push_back({name, "content", {}});
    const auto refused = execute(request);
    ASSERT_FALSE(refused) << "accepted " << name;
    EXPECT_EQ(refused.error().code(), ErrorCode::InvalidRequest);
  }
  ExecutionRequest twice = program("next_job.py");
  twice.files.push_back({"same", "1", {}});
  twice.files.push_back({"same", "2", {}});
  EXPECT_FALSE(execute(twice));
  ExecutionRequest through = program("next_job.py");  // a file and a directory of one name
  through.files.push_back({"same", "1", {}});
  through.files.push_back({"same/below", "2", {}});
  EXPECT_FALSE(execute(through));
}

TEST_P(Attack, Case42And43WritesThroughProc) {
  const auto result = attack("42_writes_through_proc.py", "read-only mounts; landlock; procfs");
  EXPECT_TRUE(result.is_success()) << describe(result);
  // Files that are there belong to root, are closed by Landlock, or both.
  expect_each(result,
              {"through_root", "own_exe", "interpreter", "init_exe", "parent_exe", "init_root",
               "init_cwd", "init_fds", "parent_fds"},
              "EACCES");
  // New names, and the program: the mount says no before anyone else is asked.
  expect_each(result,
              {"make_in_root", "above_cwd", "program", "new_code", "rename_root", "unlink_root",
               "mkdir_root"},
              by_level("EROFS", "EACCES"));
  // The read-only mount, before the kernel looks for the owner.
  expect_each(result, {"chmod_root", "chmod_interpreter"}, by_level("EROFS", "EPERM"));
}

TEST_P(Attack, Case44LostDirectory) {
  const auto result = attack("44_lost_directory.py", "no descriptor of a directory is inherited");
  expect_facts(result, {{"getcwd", "ENOENT"}});
  if (namespaces()) {  // at the landlock level "which host paths exist" is declared
    expect_facts(result, {{"up", "ENOENT"}});
  } else {
    EXPECT_TRUE(declared("which host paths exist"));
  }
  EXPECT_EQ(fact(seen(result), "directories"), "[]");
}

TEST_P(Attack, Case45FileHandles) {
  const auto result = attack("45_file_handles.py", "seccomp EPERM");
  expect_facts(result, {{"name_to_handle", "EPERM"}, {"open_by_handle", "EPERM"}});
}

// Root is in a group that no guest may be in. (Guests that wait were started before.)
class ExtraGroup {
 public:
  ExtraGroup() {
    if (::geteuid() != 0) return;
    before_.resize(static_cast<std::size_t>(::getgroups(0, nullptr)));
    EXPECT_GE(::getgroups(static_cast<int>(before_.size()), before_.data()), 0);
    auto more = before_;
    more.push_back(4242);
    EXPECT_EQ(::setgroups(more.size(), more.data()), 0);
  }
  ~ExtraGroup() {
    if (::geteuid() == 0) ::setgroups(before_.size(), before_.data());
  }
  ExtraGroup(const ExtraGroup&) = delete;
  ExtraGroup& operator=(const ExtraGroup&) = delete;

 private:
  std::vector<gid_t> before_;
};

TEST_P(Attack, Case46Setuid) {
  const ExtraGroup group;
  const auto result = attack("46_setuid.py", "no_new_privs; nosuid; no capabilities");
  expect_facts(result, {{"no_new_privs", "1"},
                        {"effective", "0000000000000000"},
                        {"permitted", "0000000000000000"},
                        {"inheritable", "0000000000000000"},
                        {"ambient", "0000000000000000"},
                        {"seccomp", "2"}});
  // Uid 0 has no place in the guest's user namespace; without one it takes a capability.
  expect_facts(
      result,
      {{"become_root", by_level("EINVAL", "EPERM")}, {"join_group", "EPERM"}, {"marked", "0o755"}});
  const auto facts = seen(result);
  EXPECT_NE(number(facts, "uid"), 0);
  EXPECT_EQ(fact(facts, "ran"), std::to_string(number(facts, "uid")));
  if (namespaces()) {
    EXPECT_EQ(fact(facts, "nosuid"), "true");
    // Only root can leave its groups; of an ordinary user's nothing but their number is seen.
    if (::geteuid() == 0) {
      EXPECT_EQ(fact(facts, "groups"), "[]");
    }
    for (const auto& seen_group : facts.at("groups").as_array()) EXPECT_EQ(seen_group, 65534);
  }
}

TEST_P(Attack, Case47Mknod) {
  const auto result = attack("47_mknod.py", "landlock EACCES");
  expect_each(result, {"char_here", "block_here", "char_tmp", "block_tmp", "char_dev_shm"},
              "EACCES");  // EPERM would be the capability, behind it
}

}  // namespace
}  // namespace cove::attack
