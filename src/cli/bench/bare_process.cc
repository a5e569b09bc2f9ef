#include "cli/bench/bare_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "base/unique_fd.h"

namespace cove {

namespace {

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Result<BareRun> run_bare(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  pointers.reserve(argv.size() + 1);
  for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);

  BareRun run;
  const auto started = std::chrono::steady_clock::now();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Err(Error::from_errno("creating a pipe"));
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  SpawnActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), write_end.get(), 1);
  ::posix_spawn_file_actions_adddup2(actions.get(), write_end.get(), 2);
  pid_t pid = -1;
  const int problem =
      ::posix_spawnp(&pid, pointers[0], actions.get(), nullptr, pointers.data(), environ);
  if (problem != 0) return Err(Error::from_errno("starting " + argv[0], problem));
  write_end.reset();

  std::array<char, 4096> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (;;) {
    const ssize_t got = ::read(read_end.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    run.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
  run.milliseconds = took.count();
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

}  // namespace cove
