#include "net/docker_facts_command.h"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "cli/bench/bench_runner.h"
#include "cli/console.h"
#include "cli/installation.h"
#include "docker/docker_executor.h"
#include "docker/docker_policy.h"
#include "docker/engine_api.h"
#include "model/names.h"

namespace cove {

namespace {

Result<DockerEngineFacts> ask_engine_at(const DockerHost& host) {
  COVE_ASSIGN(EngineApi engine, EngineApi::connect(host));
  return engine.facts();
}

json::object docker_facts() {
  const auto failure = [](const Error& error) {
    return json::object{{"ok", false}, {"reason", sanitize_utf8(error.message())}};
  };
  const auto host = find_docker_host();
  if (!host) return failure(host.error());
  const auto facts = ask_engine_at(*host);
  if (!facts) {
    json::object report = failure(facts.error());
    report["host"] = sanitize_utf8(host->text);
    return report;
  }
  const BackendCapabilities can = docker_capabilities(DockerOptions(), *facts);
  return {{"ok", true},
          {"host", sanitize_utf8(host->text)},
          {"version", sanitize_utf8(facts->version)},
          {"runtime", sanitize_utf8(facts->runtime)},
          {"isolation", sanitize_utf8(can.isolation)},
          {"network", can.network},
          {"filesystem", can.filesystem},
          {"memory", name_of(can.memory)},
          {"processes", name_of(can.processes)},
          {"cpu", name_of(can.cpu)},
          {"disk", name_of(can.disk)},
          {"per_request", can.per_request},
          {"notes", json::value_from(can.notes)}};
}

Result<double> one_run(DockerExecutor& executor) {
  ExecutionRequest request;
  request.language = "python";
  request.code = std::string(kBenchProgram);
  const auto started = std::chrono::steady_clock::now();
  COVE_ASSIGN(const ExecutionResult result, executor.execute(request));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
  if (result.is_success()) return took.count();
  return Err(Error(ErrorCode::ExecutionFailed, "the program failed: " + result.stderr_data));
}

Result<int> bench_docker(const std::string& image) {
  COVE_ASSIGN(Installation installation, load_installation("python"));
  COVE_ASSIGN(const auto executor, DockerExecutor::create(std::move(installation.catalog),
                                                          DockerOptions::custom(image)));
  COVE_TRY(executor->start());
  std::string line;
  while (std::getline(std::cin, line)) {
    COVE_ASSIGN(const double milliseconds, one_run(*executor));
    if (!write_fully(STDOUT_FILENO, fmt::format("{:.6f}\n", milliseconds))) break;
  }
  COVE_TRY(executor->cleanup());
  return 0;
}

}  // namespace

void add_docker_facts_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("docker-facts", "For cove doctor");
  command->group("");
  command->callback([&exit_code] {
    exit_code = write_fully(STDOUT_FILENO, json::serialize(docker_facts()) + "\n") ? 0 : 1;
  });
}

void add_bench_docker_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("bench-docker", "For cove bench");
  command->group("");
  const auto image = std::make_shared<std::string>();
  command->add_option("--image", *image, "The image")->required();
  command->callback([image, &exit_code] {
    const auto done = bench_docker(*image);
    exit_code = done ? *done : report_error(done.error(), false);
  });
}

}  // namespace cove
