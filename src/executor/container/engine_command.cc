#include "executor/container/engine_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/strings.h"
#include "executor/local/output_pump.h"
#include "executor/local/process_tree.h"

namespace cove {

namespace {

constexpr Bytes kMostAnswer = Bytes::mib(4);

bool is_program(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

const char* name_of(EngineKind kind) {
  return kind == EngineKind::Podman ? "podman" : "docker";
}

std::string EngineAnswer::reason() const {
  const std::string_view text = trim(err.empty() ? out : err);
  return std::string(text.substr(text.rfind('\n') + 1));
}

std::vector<std::string> own_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    list.emplace_back(*entry);
  }
  return list;
}

Result<EngineAnswer> ask_engine(const std::string& path, const std::vector<std::string>& words,
                                std::chrono::milliseconds patience) {
  ProcessSpec spec;
  spec.argv = {path};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.env = own_environment();
  spec.keep_descendants = false;
  COVE_ASSIGN(ProcessTree tree, ProcessTree::start(spec));
  OutputCapture out(OutputCapture::Stream::Stdout, kMostAnswer, TruncationStyle::Head, nullptr);
  OutputCapture err(OutputCapture::Stream::Stderr, kMostAnswer, TruncationStyle::Head, nullptr);
  const auto end = pump(tree, {{}, std::chrono::steady_clock::now() + patience, {}}, out, err);
  const ProcessExit exit = tree.wait();
  const std::string what = words.empty() ? path : path + " " + words.front();
  if (exit.start_errno) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("cannot execute {}: {}", path,
                                 std::system_category().message(*exit.start_errno))));
  }
  if (end != PumpEnd::Exited) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("{} did not answer within {} s", what, patience.count() / 1000)));
  }
  ExecutionResult texts;
  out.finish(texts);
  err.finish(texts);
  EngineAnswer answer;
  if (exit.wait_status && WIFEXITED(*exit.wait_status)) {
    answer.exit_code = WEXITSTATUS(*exit.wait_status);
  }
  answer.out = std::move(texts.stdout_data);
  answer.err = std::move(texts.stderr_data);
  return answer;
}

Result<> remove_container(const std::string& path, const std::string& name) {
  COVE_TRY(ask_engine(path, {"kill", name}));  // that it does not run is no problem
  COVE_TRY(ask_engine(path, {"rm", "--force", name}));
  return {};
}

Result<std::string> find_engine_command(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (is_program(command)) return std::filesystem::absolute(command).string();
    return Err(Error(ErrorCode::BackendUnavailable, quoted(command) + " is not a program"));
  }
  const char* const path = ::secure_getenv("PATH");
  for (const std::string_view directory : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string candidate = fmt::format("{}/{}", directory, command);
    if (directory.starts_with('/') && is_program(candidate)) return candidate;
  }
  return Err(Error(ErrorCode::BackendUnavailable, command + " is not installed"));
}

}  // namespace cove
