// A Cove process that is killed takes its sessions, branches and their daemons along.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "session_fixture.h"

namespace cove::session_tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kReadyFile = "COVE_SESSION_LIFELINE";
// In the command line of what the sessions start, so that it can be found.
constexpr const char* kMark = "4711.25";

int marked_processes() {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "cmdline");
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().starts_with("sleep") && text.str().find(kMark) != std::string::npos) ++count;
  }
  return count;
}

class Lifeline : public Sessions {
 protected:
  void hold_sessions(const char* ready) {
    const auto id = open().id;
    const std::string daemon = fmt::format(
        "import subprocess\nsubprocess.Popen(['sleep', '{}'], start_new_session=True)\n1", kMark);
    value(id, daemon);
    const auto branch = service_->fork(id);
    value(branch->id, daemon);
    (void)service_->checkpoint(id, "");
    std::ofstream(ready) << "on";
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
};

TEST_F(Lifeline, SessionsDieWithAKilledCove) {
  if (const char* ready = std::getenv(kReadyFile)) return hold_sessions(ready);
  const std::string ready =
      (fs::temp_directory_path() / fmt::format("lifeline-{}", ::getpid())).string();
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kReadyFile, ready.c_str(), 1);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(null, 1);
    ::execl("/proc/self/exe", "session_tests", "--gtest_filter=Lifeline.*", nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 200 && !fs::exists(ready); ++i) std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(fs::exists(ready));
  EXPECT_EQ(marked_processes(), 2);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int i = 0; i < 40 && marked_processes() > 0; ++i) {
    std::this_thread::sleep_for(milliseconds(25));
  }
  EXPECT_EQ(marked_processes(), 0);
  fs::remove(ready);
}

}  // namespace
}  // namespace cove::session_tests
