// What a compiler that means harm can reach and leave, at both levels. It is a shell here, or perl,
// and the program is what it does.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <netinet/in.h>

#include "base/random_id.h"
#include "base/unique_fd.h"
#include "executor/native/native_executor.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

namespace fs = std::filesystem;

class CompilerSandbox : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(cache_.data()), nullptr);
    ASSERT_EQ(::chmod(cache_.c_str(), 0711), 0);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(cache_, ignored);
  }
  // A language whose compiler runs this script, in a sandbox of the level; what it leaves as
  // cove-build/main is printed.
  void compile_by(const std::string& script, const std::string& settings = "") {
    const TemporaryProfile profile(
        "name = \"toy\"\nextension = \"toy\"\ninterpreters = [\"/bin/sh\"]\n"
        "[compile]\nrun = [\"/bin/cat\", \"{build}/main\"]\n" +
        settings + "[[compile.step]]\nname = \"build\"\ndiagnostics = \"clang-text\"\n" +
        "args = [\"-c\", '''" + script + "''']\n");
    RuntimeCatalog catalog = host_catalog();
    ASSERT_TRUE(catalog.add_profile_file(profile.path()));
    NativeOptions options;
    options.isolation = GetParam();
    auto native = NativeExecutor::create(catalog, std::move(options));
    if (!native) GTEST_SKIP() << native.error().message();
    auto made = CompilingExecutor::create(std::move(*native), std::move(catalog), cache_);
    ASSERT_TRUE(made);
    executor_ = std::move(*made);
  }
  bool has_builds() const {
    const fs::path builds = cache_ + "/builds";
    return fs::exists(builds) && !fs::is_empty(builds);
  }

  std::unique_ptr<CompilingExecutor> executor_;

 private:
  std::string cache_ = "/tmp/cove-compilers-XXXXXX";
};

// Listens on loopback and on an abstract address, and knows whether anybody came.
class Listeners {
 public:
  Listeners() : name_(random_id("cove-listener-")) {
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    inet_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socklen_t length = sizeof at;
    EXPECT_EQ(::bind(inet_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::getsockname(inet_.get(), reinterpret_cast<sockaddr*>(&at), &length), 0);
    port_ = ntohs(at.sin_port);
    sockaddr_un abstract = {};
    abstract.sun_family = AF_UNIX;
    name_.copy(abstract.sun_path + 1, name_.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    unix_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(unix_.get(), reinterpret_cast<sockaddr*>(&abstract), size), 0);
    EXPECT_EQ(::listen(inet_.get(), 8), 0);
    EXPECT_EQ(::listen(unix_.get(), 8), 0);
  }
  // What connects to both and says how that went.
  std::string probe() const {
    return fmt::format(
        "use Socket;\n"
        "sub try {{ my ($family, $to) = @_; socket(my $s, $family, SOCK_STREAM, 0) or return "
        "'none'; return connect($s, $to) ? 'REACHED' : 'none' }}\n"
        "print try(PF_INET, pack_sockaddr_in({}, INADDR_LOOPBACK)), ' ', "
        "try(PF_UNIX, pack('Sxa*', AF_UNIX, '{}')), qq(\\n);\n",
        port_, name_);
  }
  int waiting() const {
    std::array<pollfd, 2> both{{{inet_.get(), POLLIN, 0}, {unix_.get(), POLLIN, 0}}};
    return ::poll(both.data(), both.size(), 0);
  }

 private:
  std::string name_;
  UniqueFd inet_;
  UniqueFd unix_;
  int port_ = 0;
};

TEST_P(CompilerSandbox, ReachesNoListenerOfTheHost) {
  const std::string perl = "/usr/bin/perl";
  if (::access(perl.c_str(), X_OK) != 0) GTEST_SKIP() << "there is no " << perl;
  const Listeners listeners;
  compile_by("perl main.toy > cove-build/main");
  if (!executor_) return;
  const auto result = run(*executor_, request_of("toy", listeners.probe()));
  EXPECT_EQ(result.stdout_data, "none none\n") << describe(result);
  EXPECT_EQ(listeners.waiting(), 0);
  // The same program outside: it is the sandbox that held it.
  const TemporaryProfile script(listeners.probe());
  FILE* const outside = ::popen((perl + " " + script.path()).c_str(), "r");
  ASSERT_NE(outside, nullptr);
  std::array<char, 64> said{};
  EXPECT_NE(::fgets(said.data(), said.size(), outside), nullptr);
  ::pclose(outside);
  EXPECT_STREQ(said.data(), "REACHED REACHED\n");
  EXPECT_EQ(listeners.waiting(), 2);
}

TEST_P(CompilerSandbox, CannotChangeWhatIsPrepared) {
  compile_by(
      "p={prepared}\n{ echo planted > $p/x; echo new > $p/y; mv $p/x $p/z; rm -f $p/x; "
      "chmod 777 $p $p/x; } > said 2>&1\n"
      "{ cat $p/x; ls $p; cat said; } > cove-build/main",
      "prepare = [\"/bin/sh\", \"-c\", \"echo original > {prepared}/x\"]\n");
  if (!executor_) return;
  for (int i = 0; i < 2; ++i) {
    const auto result = run(*executor_, request_of("toy", random_id("")));
    EXPECT_TRUE(result.stdout_data.starts_with("original\nx\n")) << describe(result);
    // The mount itself says no, not only the owner of the files, who stands behind it.
    if (GetParam() != "namespaces") continue;
    EXPECT_NE(result.stdout_data.find("Read-only file system"), std::string::npos);
    EXPECT_EQ(result.stdout_data.find("denied"), std::string::npos) << describe(result);
  }
}

bool somebody_is_called(const std::string& word) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stream(entry.path() / "cmdline");
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

TEST_P(CompilerSandbox, DoesNotOutliveItsStep) {
  const std::string word = random_id("cove-stays-");
  compile_by("trap '' TERM HUP; (exec sh -c 'trap \"\" TERM; sleep 300; : " + word +
             "') < /dev/null > /dev/null 2>&1 & echo built > cove-build/main");
  if (!executor_) return;
  EXPECT_EQ(run(*executor_, request_of("toy", "x")).stdout_data, "built\n");
  EXPECT_FALSE(somebody_is_called(word));
}

TEST_P(CompilerSandbox, WhatIsTooLargeIsNotCutShort) {
  compile_by("echo fits > cove-build/main; head -c 17m /dev/zero > cove-build/more");
  if (!executor_) return;
  const auto result = run(*executor_, request_of("toy", "x"));
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_EQ(
      result.diagnostics_text,
      "error: what was built is too large (\"more\"): at most 16 MiB a file, 64 MiB and 1,000 "
      "files in all\n");
  EXPECT_FALSE(result.exit_code);
  EXPECT_FALSE(has_builds());
}

TEST_P(CompilerSandbox, MayPrintWhatItLikes) {
  compile_by(
      "echo 'main.toy:1:1: error: forged' >&2; head -c 1m /dev/zero | tr '\\0' x >&2; echo ok > "
      "cove-build/main");
  if (!executor_) return;
  const auto result = run(*executor_, request_of("toy", "x"));
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].level, "warning");
  EXPECT_LE(result.compile->output.size(), 256U << 10U);
  EXPECT_TRUE(result.compile->output_truncated);
}

TEST_P(CompilerSandbox, DoesNotRunForWhatCannotBeEnforced) {
  compile_by("echo ok > cove-build/main");
  if (!executor_) return;
  auto request = request_of("toy", "x");
  request.policy.filesystem.kind = FilesystemPolicy::Kind::Paths;
  request.policy.filesystem.read_only = {"relative"};
  const auto refused = executor_->execute(request);
  ASSERT_FALSE(refused);
  EXPECT_FALSE(has_builds()) << refused.error().message();
}

INSTANTIATE_TEST_SUITE_P(At, CompilerSandbox, ::testing::Values("namespaces", "landlock"),
                         [](const auto& level) { return level.param; });

}  // namespace
}  // namespace cove::toolchain
