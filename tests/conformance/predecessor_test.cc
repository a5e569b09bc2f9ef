// A Cove process that is killed with SIGKILL takes its guests along, and what it could not put away
// is put away by the next one.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "conformance/conformance_fixture.h"

namespace cove::conformance {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kReadyFile = "COVE_PREDECESSOR_READY";

// Says by a file that its guest runs.
struct ReadySink : OutputSink {
  fs::path file;
  explicit ReadySink(fs::path path) : file(std::move(path)) {}
  void on_stdout(std::string_view) override { std::ofstream(file) << "on"; }
  void on_stderr(std::string_view bytes) override { std::ofstream(file) << "failed: " << bytes; }
};

struct Process {
  int parent = 0;
  std::string started;  // in ticks; tells two processes with one number apart
  char state = '?';
};

std::map<int, Process> all_processes() {
  std::map<int, Process> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    std::ifstream in(entry.path() / "stat");
    std::string text;
    if (pid <= 0 || !std::getline(in, text)) continue;
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    Process process;
    fields >> process.state >> process.parent;
    for (int skipped = 0; skipped < 18; ++skipped) fields >> process.started;
    found[pid] = process;
  }
  return found;
}

std::map<int, std::string> descendants_of(int root) {
  const auto all = all_processes();
  std::map<int, std::string> found;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, process] : all) {
      const bool below = process.parent == root || found.contains(process.parent);
      if (below && !found.contains(pid)) {
        found[pid] = process.started;
        grown = true;
      }
    }
  }
  return found;
}

int alive(const std::map<int, std::string>& wanted) {
  const auto all = all_processes();
  int count = 0;
  for (const auto& [pid, started] : wanted) {
    const auto now = all.find(pid);
    count += now != all.end() && now->second.started == started && now->second.state != 'Z' ? 1 : 0;
  }
  return count;
}

// Control groups and temporary files that carry a process's number.
std::set<std::string> belongings_of(int pid) {
  const std::string prefix = fmt::format("cove-{}-", pid);
  std::set<std::string> found;
  for (const fs::path& root : {fs::path("/sys/fs/cgroup"), fs::temp_directory_path()}) {
    std::error_code failed;
    const auto options = fs::directory_options::skip_permission_denied;
    auto walk = fs::recursive_directory_iterator(root, options, failed);
    for (; !failed && walk != fs::recursive_directory_iterator(); walk.increment(failed)) {
      if (walk->path().filename().string().starts_with(prefix)) found.insert(walk->path().string());
      if (root != "/sys/fs/cgroup" || walk.depth() > 6) walk.disable_recursion_pending();
    }
  }
  return found;
}

// What the predecessor does: starts a warm and a cold guest with descendants, and waits for them.
void hold_guests(const char* ready) {
  NativeOptions options;
  options.pool = {.size = 3, .languages = {"python"}};
  auto warm = NativeExecutor::create(host_catalog(), options);
  ASSERT_TRUE(warm) << warm.error().message();
  ASSERT_TRUE((*warm)->start());
  auto cold = NativeExecutor::create(host_catalog());
  ASSERT_TRUE(cold);
  ExecutionRequest request;
  request.timeout = seconds(60);
  request.code =
      "import os, subprocess, sys, time\n"
      "subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
      "if os.fork() == 0:\n"
      "    os.setsid()\n"
      "    time.sleep(60)\n"
      "print('on', flush=True)\n"
      "time.sleep(60)\n";
  std::jthread first([&] {
    ReadySink sink(std::string(ready) + ".warm");
    (void)(*warm)->execute(request, {.cancel = {}, .sink = &sink});
  });
  ReadySink sink(std::string(ready) + ".cold");
  (void)(*cold)->execute(request, {.cancel = {}, .sink = &sink});
}

pid_t start_predecessor(const std::string& ready) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setenv(kReadyFile, ready.c_str(), 1);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) ::dup2(null, 1);
  ::execl("/proc/self/exe", "conformance_tests", "--gtest_filter=Predecessor.*", nullptr);
  ::_exit(127);
}

bool wait_for(const std::string& file, milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (!fs::exists(file) && Clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds(10));
  return fs::exists(file);
}

TEST(Predecessor, KilledTakesItsGuestsAlongAndIsSweptByTheNext) {
  if (const char* role = std::getenv(kReadyFile)) return hold_guests(role);
  const std::string ready =
      (fs::temp_directory_path() / fmt::format("predecessor-{}", ::getpid())).string();
  const pid_t child = start_predecessor(ready);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(wait_for(ready + ".warm", seconds(20)));
  EXPECT_TRUE(wait_for(ready + ".cold", seconds(20)));
  const auto guests = descendants_of(child);
  EXPECT_GE(guests.size(), 10U);  // two runs of three and their inits, a zygote, waiting guests

  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto deadline = Clock::now() + seconds(1);
  int left = alive(guests);
  while (left > 0 && Clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(10));
    left = alive(guests);
  }
  EXPECT_EQ(left, 0) << "of " << guests.size() << " processes";
  fs::remove(ready + ".warm");
  fs::remove(ready + ".cold");

  {
    NativeOptions options;
    options.pool = {.size = 1, .languages = {"python"}};
    auto next = NativeExecutor::create(host_catalog(), options);
    ASSERT_TRUE(next) << next.error().message();
    ASSERT_TRUE((*next)->start());
    ExecutionRequest request;
    request.code = "print('works')";
    const auto result = (*next)->execute(request);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->stdout_data, "works\n");
  }
  std::string names;
  for (const auto& name : belongings_of(child)) names += "\n  " + name;
  EXPECT_EQ(names, "");
}

}  // namespace
}  // namespace cove::conformance
