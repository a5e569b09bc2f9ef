// What cannot be enforced is refused before a line of the program runs.
#include <unistd.h>

#include <filesystem>

#include "conformance/conformance_fixture.h"

namespace cove::conformance {
namespace {

namespace fs = std::filesystem;

TEST_P(Conformance, UnenforceablePolicyLeavesNoSideEffect) {
  const fs::path witness =
      fs::temp_directory_path() / ("cove-witness-" + std::to_string(::getpid()));
  fs::remove(witness);
  auto strict = request("open('" + witness.string() + "', 'w').write('ran')");
  strict.policy = SandboxPolicy();
  if (isolates()) {
    strict.policy.filesystem = {.kind = FilesystemPolicy::Kind::Paths,
                                .root = {},
                                .read_only = {"/no/such/path/anywhere"},
                                .read_write = {}};
  }
  const auto result = executor().execute(strict);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy) << result.error().message();
  EXPECT_FALSE(fs::exists(witness));
}

TEST_P(Conformance, RefusalNamesWhatIsMissing) {
  if (isolates()) GTEST_SKIP() << "this backend enforces all of it";
  auto asking = request("print('ran')");
  asking.policy.network = NetworkPolicy::Disabled;
  auto refused = executor().execute(asking);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("network"), std::string::npos);

  asking = request("print('ran')");
  asking.policy.filesystem = {
      .kind = FilesystemPolicy::Kind::Paths, .root = {}, .read_only = {"/usr"}, .read_write = {}};
  refused = executor().execute(asking);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("filesystem"), std::string::npos);

  asking = request("print('ran')");
  asking.policy.environment = {.kind = EnvironmentPolicy::Kind::AllowList, .names = {"PATH"}};
  refused = executor().execute(asking);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("environment"), std::string::npos);
}

TEST_P(Conformance, EnabledNetworkIsAccepted) {
  auto open = request("print('ran')");
  open.policy.network = NetworkPolicy::Enabled;
  if (!per_request()) return expect_refused(open, "network");  // it was started without
  const auto result = executor().execute(open);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->stdout_data, "ran\n");
}

TEST_P(Conformance, UnknownLanguageIsAnError) {
  const auto result = executor().execute(request("print(1)", "no-such-language"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedLanguage);
  EXPECT_FALSE(executor().supports_language("no-such-language"));
  EXPECT_TRUE(executor().supports_language("Python3"));
}

// A directory of the host for the time of a test.
struct HostDirectory {
  explicit HostDirectory(const char* parent)
      : path(fs::path(parent) / ("cove-shown-" + std::to_string(::getpid()))) {
    fs::create_directory(path);
    fs::permissions(path, fs::perms::all);
  }
  ~HostDirectory() { fs::remove_all(path); }
  HostDirectory(const HostDirectory&) = delete;
  HostDirectory& operator=(const HostDirectory&) = delete;
  fs::path path;
};

TEST_P(Conformance, AllowedHostPathIsSeen) {
  if (!isolates()) GTEST_SKIP() << "nothing is hidden";
  // The second is below a directory that a guest has for itself.
  for (const char* parent : {"/var/tmp", "/tmp"}) {
    const HostDirectory shown(parent);
    auto looking = request("import os\nprint(os.listdir('" + shown.path.string() + "'))\n");
    EXPECT_NE(run(looking).exit_code, 0);
    looking.policy.filesystem = {.kind = FilesystemPolicy::Kind::Paths,
                                 .root = {},
                                 .read_only = {shown.path.string()},
                                 .read_write = {}};
    if (!per_request()) {
      expect_refused(looking, "filesystem");
      continue;
    }
    const auto result = executor().execute(looking);
    if (!result) {
      EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy) << result.error().message();
      EXPECT_STREQ(parent, "/tmp") << result.error().message();
      continue;
    }
    EXPECT_EQ(result->stdout_data, "[]\n") << parent << ": " << describe(*result);
  }
}

// A waiting guest takes on other limits: what a request asks for holds there too.
TEST_P(Conformance, SmallerMemoryLimitHolds) {
  if (executor().capabilities().memory == LimitReach::None) GTEST_SKIP() << "cannot limit memory";
  if (executor().capabilities().memory != LimitReach::Tree)
    GTEST_SKIP() << "per process: no oom kill";
  auto hungry = request("x = bytearray(200 << 20)\nprint(len(x))\n");
  EXPECT_EQ(run(hungry).status, ExecutionStatus::Success);
  hungry.limits.memory = Bytes::mib(64);
  if (!per_request()) {
    expect_refused(hungry, "memory");
    hungry = request("x = bytearray(700 << 20)\nprint(len(x))\n");  // what it was started with
  }
  const auto result = run(hungry);
  EXPECT_EQ(result.status, ExecutionStatus::Oom) << describe(result);
  EXPECT_TRUE(result.oom);
  EXPECT_TRUE(hit(result, LimitHit::Memory));
  EXPECT_FALSE(result.exit_code);
  // A waiting guest of the native backend takes on another limit; a container cannot.
  EXPECT_EQ(result.warm, warm() && !is_container());
  EXPECT_EQ(run("print('next')").stdout_data, "next\n");
}

TEST_P(Conformance, ProcessLimitHolds) {
  if (executor().capabilities().processes == LimitReach::None)
    GTEST_SKIP() << "cannot limit processes";
  auto forking = request(
      "import os, time\n"
      "n = 0\n"
      "try:\n"
      "    while n < 100:\n"
      "        if os.fork() == 0:\n"
      "            time.sleep(30)\n"
      "            os._exit(0)\n"
      "        n += 1\n"
      "except OSError:\n"
      "    print('stopped', n < 20)\n");
  forking.limits.processes = 16;
  EXPECT_EQ(run(forking).stdout_data, "stopped True\n");
}

// What a backend says that it cannot limit, it refuses when asked.
TEST_P(Conformance, LimitsThatItDoesNotHaveAreRefused) {
  const BackendCapabilities can = executor().capabilities();
  const auto refused = [&](const char* what, const auto& set) {
    auto asking = request("print('ran')");
    set(asking.limits);
    const auto result = executor().execute(asking);
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy) << what;
    EXPECT_NE(result.error().message().find(what), std::string::npos) << result.error().message();
  };
  if (can.memory == LimitReach::None) {
    refused("memory", [](Limits& limits) { limits.memory = Bytes::mib(64); });
  }
  if (can.processes == LimitReach::None) {
    refused("process", [](Limits& limits) { limits.processes = 8; });
  }
  if (can.disk == LimitReach::None) {
    refused("disk", [](Limits& limits) { limits.disk = Bytes::mib(8); });
  }
  if (!can.descriptors) {
    refused("open files", [](Limits& limits) { limits.descriptors = 64; });
  }
  if (is_container()) {
    refused("cpu time", [](Limits& limits) { limits.cpu_time = std::chrono::seconds(1); });
  }
}

TEST_P(Conformance, OpenFilesAreLimited) {
  if (!executor().capabilities().descriptors) GTEST_SKIP() << "cannot limit open files";
  auto opening = request(
      "import os\n"
      "try:\n"
      "    for n in range(1000): os.dup(0)\n"
      "except OSError as error:\n"
      "    print(n < 64, error.strerror)\n");
  opening.limits.descriptors = 64;
  EXPECT_EQ(run(opening).stdout_data, "True Too many open files\n");
}

TEST_P(Conformance, NoNetworkAndNoPrivileges) {
  if (!isolates()) GTEST_SKIP() << "nothing is isolated";
  const auto result =
      run("import os, socket\n"
          "try:\n"
          "    socket.create_connection(('192.0.2.1', 80), timeout=2); print('connected')\n"
          "except OSError: print('no network')\n"
          "try: os.setuid(0); print('root')\n"
          "except OSError: print('not root')\n"
          "try: open('/etc/cove-was-here', 'w'); print('wrote')\n"
          "except OSError: print('read-only')\n"
          "caps = [l.split()[1] for l in open('/proc/self/status') if l.startswith('CapEff')]\n"
          "print(int(caps[0], 16))\n");
  EXPECT_EQ(result.stdout_data, "no network\nnot root\nread-only\n0\n") << describe(result);
}

TEST_P(Conformance, DiskLimitHolds) {
  if (executor().capabilities().disk == LimitReach::None) GTEST_SKIP() << "cannot limit the disk";
  auto writing = request(
      "try:\n"
      "    with open('big', 'wb') as f:\n"
      "        for _ in range(80): f.write(bytes(1 << 20))\n"
      "except OSError as error:\n"
      "    print(error.strerror)\n");
  if (per_request()) writing.limits.disk = Bytes::mib(8);  // else what it was started with
  const auto result = run(writing);
  EXPECT_EQ(result.stdout_data, "No space left on device\n") << describe(result);
  EXPECT_TRUE(hit(result, LimitHit::Disk));
}

}  // namespace
}  // namespace cove::conformance
