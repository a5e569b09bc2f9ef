#include "runtime/version_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "base/unique_fd.h"

namespace cove {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeout{3};
constexpr std::size_t kMaxOutput = 64 << 10;

// Starts the command in a process group of its own with both outputs on `output`.
Result<pid_t> start(const Runtime& runtime, int output) {
  std::vector<std::string> args{runtime.interpreter};
  args.insert(args.end(), runtime.profile.version_args.begin(), runtime.profile.version_args.end());
  std::vector<char*> argv;
  argv.reserve(args.size() + 1);
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  // Not the caller's environment: no variable of theirs should decide what is found here.
  std::string path = "PATH=/usr/local/bin:/usr/bin:/bin";
  std::string language = "LANG=C.UTF-8";
  // Nothing can be made below it, not even by root: go would keep its telemetry there.
  std::string home = "HOME=/dev/null";
  char* environment[] = {path.data(), language.data(), home.data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, runtime.interpreter.c_str(), &actions, &attributes,
                                  argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Err(Error::from_errno("cannot start " + runtime.interpreter, error));
  return pid;
}

// Reads until the end of output, the cap or the deadline. False: the deadline came first.
bool read_output(int fd, Clock::time_point deadline, std::string& output) {
  char chunk[4096];
  while (output.size() < kMaxOutput) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{fd, POLLIN, 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    output.append(chunk, static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Result<std::string> probe_version(const Runtime& runtime) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return Err(Error::from_errno("cannot make a pipe"));
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  COVE_ASSIGN(const pid_t pid, start(runtime, writer.get()));
  writer.reset();

  std::string output;
  const bool in_time = read_output(reader.get(), Clock::now() + kTimeout, output);
  // Always, as a program may close its output and stay; the group, because a wrapper may have
  // started others. Safe when all are gone: until it is reaped, the process keeps its number taken.
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return Err(
        Error(ErrorCode::ExecutionFailed, fmt::format("{} did not tell its version within {} s",
                                                      runtime.interpreter, kTimeout.count())));
  }
  const std::string_view line = trim(split(trim(output), '\n').front());
  if (line.empty()) {
    return Err(Error(ErrorCode::ExecutionFailed,
                     runtime.interpreter + " printed nothing when asked for its version"));
  }
  return sanitize_utf8(line.substr(0, utf8_cut(line, 200)));
}

}  // namespace cove
