#include "cli/bench/sampling_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/pipe.h"
#include "base/strings.h"

namespace cove {

Result<std::unique_ptr<SamplingProcess>> SamplingProcess::start(
    const std::vector<std::string>& argv) {
  COVE_ASSIGN(Pipe questions, make_pipe());
  COVE_ASSIGN(Pipe answers, make_pipe());
  std::vector<std::string> copies = argv;
  std::vector<char*> words;
  words.reserve(copies.size() + 1);
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, questions.read.get(), 0);
  ::posix_spawn_file_actions_adddup2(&files, answers.write.get(), 1);
  ::posix_spawn_file_actions_adddup2(&files, answers.write.get(), 2);
  pid_t pid = -1;
  const int problem = ::posix_spawn(&pid, words[0], &files, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (problem != 0) return Err(Error::from_errno("starting " + argv[0], problem));
  return std::unique_ptr<SamplingProcess>(
      new SamplingProcess(pid, std::move(questions.write), std::move(answers.read)));
}

SamplingProcess::~SamplingProcess() {
  questions_.reset();  // the end of its input is the end of its work
  answers_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<double> SamplingProcess::sample() {
  std::string line;
  if (::write(questions_.get(), "\n", 1) == 1) {
    char c = 0;
    while (::read(answers_.get(), &c, 1) == 1 && c != '\n') line += c;
  }
  double milliseconds = 0;
  const char* const end = line.data() + line.size();
  const auto [stopped, problem] = std::from_chars(line.data(), end, milliseconds);
  if (problem == std::errc() && stopped == end && milliseconds > 0) return milliseconds;
  return Err(Error(ErrorCode::ExecutionFailed, line.empty() ? "it ended" : line));
}

}  // namespace cove
