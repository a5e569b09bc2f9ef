#include "cli/bench/docker_run.h"

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "cli/bench/bare_process.h"

namespace cove {

namespace {

// What `timeout` exits with when it cannot find the command.
constexpr int kExitNotFound = 127;
// The first is what scripts/engine makes.
constexpr const char* kKnownImages[] = {"cove-test/python", "python:3-slim", "python:3", "python"};

std::string last_line(std::string_view text) {
  text = trim(text);
  return std::string(text.substr(text.rfind('\n') + 1));
}

// An engine that hangs must not hang the benchmark.
Result<BareRun> ask_docker(std::vector<std::string> words) {
  std::vector<std::string> argv{"timeout", "10", "docker"};
  argv.insert(argv.end(), words.begin(), words.end());
  return run_bare(argv);
}

}  // namespace

std::vector<std::string> docker_run_command(const std::string& image, std::string_view program) {
  return {"docker",
          "run",
          "--rm",
          "-i",
          "--network=none",
          "--read-only",
          "--tmpfs=/tmp:rw,exec,size=64m",
          "--memory",
          "512m",
          "--memory-swap",
          "512m",
          "--cpus",
          "1",
          "--pids-limit",
          "64",
          "--user",
          "65534:65534",
          "--cap-drop=ALL",
          "--security-opt=no-new-privileges",
          "--name",
          random_id("cove-bench-"),
          image,
          "python3",
          "-c",
          std::string(program)};
}

Result<DockerTarget> find_docker_target(const std::string& wanted) {
  const auto unavailable = [](std::string why) {
    return Err(Error(ErrorCode::BackendUnavailable, std::move(why)));
  };
  COVE_ASSIGN(const BareRun engine, ask_docker({"version", "--format", "{{.Server.Version}}"}));
  if (engine.exit_code == kExitNotFound) return unavailable("the docker command is not installed");
  if (engine.exit_code != 0) {
    const std::string reason = last_line(engine.output);
    return unavailable(
        fmt::format("no Docker engine answers (as root, scripts/engine starts one){}",
                    reason.empty() ? "" : ": " + reason));
  }
  if (!wanted.empty()) {
    COVE_ASSIGN(const BareRun found, ask_docker({"image", "inspect", "--", wanted}));
    if (found.exit_code == 0) return DockerTarget{std::string(trim(engine.output)), wanted};
    return unavailable(
        fmt::format("the Docker engine has no image {} (--docker-image)", quoted(wanted)));
  }
  std::vector<std::string> tried;
  for (const char* const image : kKnownImages) {
    COVE_ASSIGN(const BareRun found, ask_docker({"image", "inspect", image}));
    if (found.exit_code == 0) return DockerTarget{std::string(trim(engine.output)), image};
    tried.emplace_back(image);
  }
  return unavailable(fmt::format(
      "the Docker engine has none of the images {}; --docker-image names another with python3",
      join(tried, ", ")));
}

}  // namespace cove
