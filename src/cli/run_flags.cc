#include "cli/run_flags.h"

#include <CLI/CLI.hpp>

namespace cove {

void add_run_options(CLI::App& command, RunOptions& o) {
  const auto repeated = [](CLI::Option* option) {
    option->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  command.add_option("FILE", o.program.file, "The program; - reads it from stdin");
  command.add_option("-l,--language", o.program.language,
                     "Its language (default: by extension, #! line, else python)");
  command.add_option("-c,--code", o.program.code, "The program itself, instead of a file");
  command.add_option("--stdin", o.stdin_file, "What the program reads: a file, or - for our stdin");
  repeated(command.add_option("--file", o.files,
                              "Put PATH into the working directory, as NAME (PATH[=NAME])"));
  command.add_option("--out", o.out, "Write the program's output files below DIR");
  repeated(command.add_option("--env", o.env, "Set a variable for the program (NAME=VALUE)"));
  command.add_option("--input", o.input, "JSON for run(input), or @FILE (harnessed languages)");
  command.add_option("--timeout", o.timeout, "Wall-clock limit: 1500ms, 10s, 2m");
  command.add_option("--memory", o.memory, "Memory limit: 256m, 1g");
  command.add_option("--cpus", o.cpus, "CPU share: 0.5, 2")->check(CLI::PositiveNumber);
  command.add_option("--pids", o.pids, "Most processes at once")->check(CLI::PositiveNumber);
  command.add_option("--disk", o.disk, "Most that may be written: 64m");
  command.add_option("--cpu-time", o.cpu_time, "Most CPU time: 500ms, 10s");
  command.add_option("--limit-scope", o.limit_scope, "How limits must hold")
      ->check(CLI::IsMember({"strongest", "tree"}));
  command.add_option("--policy", o.policy, "A policy's name or file")->capture_default_str();
  command.add_option("--backend", o.backend, "What runs it")
      ->check(CLI::IsMember({"native", "local"}))
      ->capture_default_str();
  command.add_option("--isolation", o.isolation, "Level of the native backend")
      ->check(CLI::IsMember({"namespaces", "landlock"}))
      ->capture_default_str();
  command.add_option("--profile", o.profile, "A language profile of your own (TOML)");
  command.add_option("--truncate", o.truncate, "How long output is shortened")
      ->check(CLI::IsMember({"head", "head_tail", "notice"}))
      ->capture_default_str();
  command.add_flag("--explain", o.explain, "Say what would be enforced and how; run nothing");
  command.add_flag("--json", o.json, "Print the result as one JSON object; no streaming");
  command.add_flag("--raw", o.raw, "Let escape sequences reach the terminal");
}

}  // namespace cove
