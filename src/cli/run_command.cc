#include "cli/run_command.h"

#include <unistd.h>

#include <memory>
#include <stop_token>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/executor_choice.h"
#include "cli/exit_code.h"
#include "cli/output_directory.h"
#include "cli/run_notes.h"
#include "cli/run_options.h"
#include "cli/stream_output.h"
#include "model/result_codec.h"
#include "policy/explain.h"
#include "policy/validate.h"

namespace cove {

namespace {

constexpr int kExitReaderGone = 141;  // as a shell reports death by SIGPIPE

int explain(const ExecutionRequest& request, const ExecutorChoice& choice) {
  const BackendCapabilities capabilities = choice.executor->capabilities();
  std::string text = explain_request(request, capabilities);
  if (const auto valid = validate_request(request, capabilities); !valid) {
    (void)write_fully(STDOUT_FILENO, text);
    return report_error(valid.error(), false);
  }
  if (choice.native != nullptr) {
    auto steps = choice.native->explain(request);
    if (!steps) {
      (void)write_fully(STDOUT_FILENO, text);
      return report_error(steps.error(), false);
    }
    text += "\n" + *steps;
    if (!text.ends_with('\n')) text += '\n';
  }
  (void)write_fully(STDOUT_FILENO, text);
  return 0;
}

// Where a run's files went, or how to keep them.
Result<> deliver_files(const RunOptions& options, ExecutionResult& result) {
  if (options.out) {
    COVE_ASSIGN(const WrittenFiles written, write_output_files(*options.out, result.output_files));
    for (const std::string& problem : written.problems) say("--out: " + problem);
    for (OutputFile& file : result.output_files) file.content.reset();  // they are on disk now
  } else if (!options.json && !result.output_files.empty() && ::isatty(STDERR_FILENO) == 1) {
    say(fmt::format("{} output file{} not kept; use --out DIR", result.output_files.size(),
                    result.output_files.size() == 1 ? "" : "s"));
  }
  if (result.output_files_incomplete && !options.json) {
    say("not every output file was collected (too many, too large or too deep)");
  }
  return {};
}

// What tells the language, if one word does.
std::string language_word(const RunOptions& options) {
  if (options.profile) return "";
  if (options.program.language) return *options.program.language;
  const std::string file = options.program.file.value_or("");
  const auto dot = file.rfind('.');
  return dot == std::string::npos || file.find('/', dot) != std::string::npos
             ? ""
             : file.substr(dot + 1);
}

Result<int> run(const RunOptions& options) {
  COVE_ASSIGN(Installation installation, load_installation(language_word(options)));
  COVE_ASSIGN(const ExecutionRequest request, build_request(options, installation));
  Limits profile_limits;
  for (const auto& profile : installation.catalog.profiles()) {
    if (profile.name == request.language) profile_limits = profile.limits;
  }
  COVE_ASSIGN(ExecutorChoice choice,
              choose_executor(options.backend, options.isolation, std::move(installation.catalog)));
  if (options.explain) return explain(request, choice);

  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  std::unique_ptr<StreamOutput> stream;
  if (!options.json) {
    const bool progress = ::isatty(STDERR_FILENO) == 1;
    stream = std::make_unique<StreamOutput>(StreamOptions{options.raw, progress}, stop);
  }
  auto executed = choice.executor->execute(request, {stop.get_token(), stream.get()});
  if (stream) stream->finish();
  if (!executed) return Err(std::move(executed).error());
  ExecutionResult result = std::move(*executed);

  COVE_TRY(deliver_files(options, result));
  if (options.json) {
    if (!write_fully(STDOUT_FILENO, encode_result_text(result) + "\n")) return kExitReaderGone;
    return exit_code_of(result);
  }
  if (stream->reader_gone()) return kExitReaderGone;
  for (const std::string& note : run_notes(request, result, profile_limits)) say(note);
  return exit_code_of(result);
}

void add_options(CLI::App& command, RunOptions& o) {
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

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code) {
  CLI::App* const command = app.add_subcommand("run", "Run a program in a sandbox");
  command->footer("Words after -- are the program's arguments.");
  const auto options = std::make_shared<RunOptions>();
  options->args = args;
  add_options(*command, *options);
  command->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report_error(done.error(), options->json);
  });
}

}  // namespace cove
