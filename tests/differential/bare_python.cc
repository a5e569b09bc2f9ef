#include "differential/bare_python.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "differential/bare_root.h"
#include "executor/remove_tree.h"

namespace cove::differential {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kPython = "/usr/bin/python3";
constexpr auto kPatience = std::chrono::seconds(30);

struct Pipe {
  UniqueFd read;
  UniqueFd write;

  static Pipe make() {
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ::abort();
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
  }
};

struct Streams {
  Pipe in = Pipe::make();
  Pipe out = Pipe::make();
  Pipe err = Pipe::make();
  Pipe status = Pipe::make();  // how python ended, in the kernel's words; or why it did not start
};

struct Words {
  std::vector<std::string> argv;
  std::vector<std::string> env;

  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> out;
    out.reserve(words.size() + 1);
    for (auto& word : words) out.push_back(word.data());
    out.push_back(nullptr);
    return out;
  }
};

Words words_for(const Program& program, const LanguageProfile& profile) {
  Words words;
  words.argv = {kPython, "/code/main.py"};
  words.argv.insert(words.argv.end(), program.args.begin(), program.args.end());
  words.env = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8"};
  for (const auto* given : {&profile.env, &program.env}) {
    for (const auto& [name, value] : *given) {
      std::erase_if(words.env, [&](const auto& entry) { return entry.starts_with(name + "="); });
      words.env.push_back(fmt::format("{}={}", name, value));
    }
  }
  return words;
}

[[noreturn]] void exec_python(const Streams& streams, Words& words) {
  ::setsid();
  ::umask(022);
  // Past the C library, which does not touch its own two signals: whoever started the test may have
  // left them ignored.
  constexpr std::array<std::uint64_t, 4> kStandard{};
  for (int signal = 1; signal < NSIG; ++signal) {
    ::syscall(SYS_rt_sigaction, signal, kStandard.data(), nullptr, sizeof(std::uint64_t));
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(streams.in.read.get(), 0);
  ::dup2(streams.out.write.get(), 1);
  ::dup2(streams.err.write.get(), 2);
  ::close_range(3, ~0U, 0);
  auto argv = Words::pointers(words.argv);
  auto env = Words::pointers(words.env);
  ::execve(kPython, argv.data(), env.data());
  ::_exit(127);
}

void say(int fd, const std::string& text) {
  if (::write(fd, text.data(), text.size()) < 0) ::_exit(126);
}

std::string end_in_words(int status) {
  if (WIFEXITED(status)) return fmt::format("exit {}", WEXITSTATUS(status));
  return fmt::format("signal SIG{}", ::sigabbrev_np(WTERMSIG(status)));
}

// Pid 1 of the namespace: starts python, adopts its orphans, and when python has ended ends too,
// which takes the rest along.
[[noreturn]] void be_init(Streams& streams, Words& words, const std::string& scratch) {
  const int report = streams.status.write.get();
  if (const char* failed = enter_bare_root(scratch)) {
    say(report, fmt::format("no bare root: {}: {}", failed, ::strerror(errno)));
    ::_exit(1);
  }
  const pid_t python = ::fork();
  if (python == 0) exec_python(streams, words);
  for (Pipe* pipe : {&streams.in, &streams.out, &streams.err}) *pipe = {};
  int status = 0;
  for (pid_t gone = 0; gone != python;) {
    gone = ::wait(&status);
    if (gone < 0) ::_exit(1);
  }
  say(report, end_in_words(status));
  ::_exit(0);
}

pid_t start(Streams& streams, Words& words, const std::string& scratch) {
  const pid_t outer = ::fork();
  if (outer != 0) return outer;
  ::umask(022);
  if (const char* failed = become_nobody()) {
    say(streams.status.write.get(),
        fmt::format("no bare namespaces: {}: {}", failed, ::strerror(errno)));
    ::_exit(1);
  }
  const pid_t init = ::fork();
  if (init == 0) be_init(streams, words, scratch);
  for (Pipe* pipe : {&streams.in, &streams.out, &streams.err, &streams.status}) *pipe = {};
  int status = 0;
  ::waitpid(init, &status, 0);
  ::_exit(0);
}

// Takes what is there; closes at the end of the file.
void drain(UniqueFd& fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
}

void feed(UniqueFd& fd, std::string_view& rest) {
  const ssize_t put = ::write(fd.get(), rest.data(), rest.size());
  if (put > 0) rest.remove_prefix(static_cast<std::size_t>(put));
  if (rest.empty() || (put < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
}

// False: it took too long.
bool exchange(Streams& streams, std::string_view stdin_data, Observation& seen) {
  UniqueFd in = std::move(streams.in.write);
  ::fcntl(in.get(), F_SETFL, O_NONBLOCK);
  if (stdin_data.empty()) in.reset();
  const auto deadline = Clock::now() + kPatience;
  UniqueFd& out = streams.out.read;
  UniqueFd& err = streams.err.read;
  UniqueFd& end = streams.status.read;
  while (out || err || end) {
    std::array<pollfd, 4> wait = {pollfd{in.get(), POLLOUT, 0}, pollfd{out.get(), POLLIN, 0},
                                  pollfd{err.get(), POLLIN, 0}, pollfd{end.get(), POLLIN, 0}};
    ::poll(wait.data(), wait.size(), 1000);
    if (Clock::now() > deadline) return false;
    if (wait[0].revents != 0) feed(in, stdin_data);
    if (wait[1].revents != 0) drain(out, seen.out);
    if (wait[2].revents != 0) drain(err, seen.err);
    if (wait[3].revents != 0) drain(end, seen.end);
  }
  return true;
}

void write_file(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

void collect(const fs::path& workspace, const Program& program, Observation& seen) {
  for (const auto& entry : fs::recursive_directory_iterator(workspace)) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    const std::string name = fs::relative(entry.path(), workspace).string();
    const bool given = std::ranges::any_of(program.files, [&](const ExecFile& file) {
      return file.name == name && file.content == content;
    });
    if (!given) seen.files[name] = std::move(content);
  }
}

}  // namespace

Result<Observation> run_bare(const Program& program, const LanguageProfile& profile) {
  std::string scratch = (fs::temp_directory_path() / "cove-bare-XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr) return Err(Error::from_errno("mkdtemp"));
  const std::shared_ptr<void> removal(nullptr, [scratch](void*) { remove_tree(scratch); });
  for (const char* name : {"/root", "/code", "/workspace", "/tmp"}) {
    fs::create_directory(scratch + name);
  }
  write_file(scratch + "/code/main.py", program.code);
  for (const auto& file : program.files)
    write_file(scratch + "/workspace/" + file.name, file.content);

  Observation seen;
  Words words = words_for(program, profile);
  Streams streams;
  const pid_t outer = start(streams, words, scratch);
  if (outer < 0) return Err(Error::from_errno("fork"));
  streams.in.read.reset();
  for (Pipe* pipe : {&streams.out, &streams.err, &streams.status}) pipe->write.reset();
  const bool in_time = exchange(streams, program.stdin_data, seen);
  if (!in_time) ::kill(outer, SIGKILL);
  ::waitpid(outer, nullptr, 0);
  if (!in_time) seen.end = "took too long";
  collect(scratch + "/workspace", program, seen);
  return seen;
}

}  // namespace cove::differential
