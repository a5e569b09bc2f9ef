#include "cli/run_flags.h"

#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/strings.h"
#include "cli/executor_choice.h"

namespace cove {

namespace {

// As CLI11 wants it: an empty text, or what is wrong.
template <class Number>
auto number_between(Number least, Number most, const std::string& allowed) {
  return [=](const std::string& text) -> std::string {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data(), end, number);
    if (problem == std::errc() && stopped == end && number >= least && number <= most) return "";
    return "must be " + allowed + ", got " + quoted(text);
  };
}

// What is read, and where from.
void add_program_options(CLI::App& command, RunOptions& o) {
  const auto repeated = [](CLI::Option* option, const char* form) {
    option->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option->expected(1)->type_name(form);
  };
  command.add_option("FILE", o.program.file, "The program; - reads it from stdin")->type_name("");
  command
      .add_option("-l,--language", o.program.language,
                  "Its language (default: by #! line, extension, else python)")
      ->type_name("NAME");
  command.add_option("-c,--code", o.program.code, "The program itself, instead of a file");
  command.add_option("--stdin", o.stdin_file, "What the program reads: a file, or - for our stdin")
      ->type_name("FILE");
  repeated(command.add_option("--file", o.files,
                              "Put a file into the working directory, as NAME or under its own "
                              "name; may be repeated"),
           "PATH[=NAME]");
  command
      .add_option("--out", o.out,
                  "Write the program's output files below DIR (at most 1,000, 16 MiB of each, "
                  "64 MiB in all)")
      ->type_name("DIR");
  repeated(command.add_option("--env", o.env, "Set a variable for the program; may be repeated"),
           "NAME=VALUE");
  command.add_option("--input", o.input, "For run(input), in languages with a harness")
      ->type_name("JSON|@FILE");
}

void add_limit_options(CLI::App& command, RunOptions& o) {
  command.add_option("--timeout", o.timeout, "Wall-clock limit: 1500ms, 10s, 2m")
      ->type_name("DURATION");
  command
      .add_option("--compile-timeout", o.compile_timeout,
                  "Wall-clock limit of compiling, all steps together: 30s")
      ->type_name("DURATION");
  command.add_option("--memory", o.memory, "Memory limit: 256m, 1g")->type_name("SIZE");
  command.add_option("--cpus", o.cpus, "CPU share: 0.5, 2")
      ->type_name("NUMBER")
      ->check(number_between(0.01, 1024.0, "a number from 0.01 to 1024, such as 0.5"));
  command.add_option("--pids", o.pids, "Most processes and threads at once, itself included")
      ->type_name("NUMBER")
      ->check(number_between<std::uint32_t>(1, 1'000'000, "a whole number from 1 to 1000000"));
  command.add_option("--disk", o.disk, "Most that may be written: 64m")->type_name("SIZE");
  command.add_option("--cpu-time", o.cpu_time, "Most CPU time: 500ms, 10s")->type_name("DURATION");
  command.add_option("--limit-scope", o.limit_scope, "How limits must hold")
      ->check(CLI::IsMember({"strongest", "tree"}));
}

void add_container_options(CLI::App& command, RunOptions& o) {
  command
      .add_option("--image", o.image,
                  "Of the container and docker backends: the image (default: the language's)")
      ->type_name("NAME");
  command
      .add_option("--engine", o.engine,
                  "Of the container backend: docker, podman or a path (default: what answers)")
      ->type_name("COMMAND");
  command
      .add_option("--runtime", o.runtime,
                  "Of the container backend: runsc, kata, … (default: the engine's)")
      ->type_name("NAME");
  command.add_flag("--pull", o.pull, "Of the container backend: pull an image that is missing");
  command
      .add_option("--docker-host", o.docker_host,
                  "Of the docker backend: unix:///PATH or tcp://HOST:PORT [DOCKER_HOST]")
      ->type_name("ADDRESS");
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& o) {
  add_program_options(command, o);
  add_limit_options(command, o);
  command.add_option("--policy", o.policy, "A policy's name or file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  command.add_option("--backend", o.backend, "What runs it")
      ->check(check_backend_name)
      ->type_name("native|local|container|docker|image:NAME")
      ->capture_default_str();
  command.add_option("--isolation", o.isolation, "Level of the native backend")
      ->check(CLI::IsMember({"namespaces", "landlock"}))
      ->default_str("namespaces");
  add_container_options(command, o);
  command.add_option("--profile", o.profile, "A language profile of your own (TOML)")
      ->type_name("FILE");
  CLI::Option* const truncate =
      command.add_option("--truncate", o.truncate, "How long output is shortened; with --json")
          ->check(CLI::IsMember({"head", "head_tail", "notice"}))
          ->capture_default_str();
  CLI::Option* const diagnostics =
      command
          .add_option("--diagnostics", o.diagnostics,
                      "How what a compiler says is shown: all of it, or each cause once")
          ->check(CLI::IsMember({"full", "short"}))
          ->capture_default_str();
  command.add_flag("--explain", o.explain, "Say what would be enforced and how; run nothing");
  CLI::Option* const as_json =
      command.add_flag("--json", o.json, "Print the result as one JSON object; no streaming");
  CLI::Option* const contents = command.add_flag(
      "--contents", o.contents, "Put the output files' contents into it, as base64; with --json");
  command.add_flag("--raw", o.raw, "Let escape sequences reach the terminal");
  truncate->needs(as_json);
  contents->needs(as_json);
  diagnostics->excludes(as_json);
}

}  // namespace cove
