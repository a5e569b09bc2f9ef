#include "cli/run_command.h"

#include <unistd.h>

#include <memory>
#include <stop_token>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/deliver_files.h"
#include "cli/executor_choice.h"
#include "cli/exit_code.h"
#include "cli/run_flags.h"
#include "cli/run_notes.h"
#include "cli/run_options.h"
#include "cli/stream_output.h"
#include "model/result_codec.h"
#include "policy/explain.h"
#include "policy/validate.h"

namespace cove {

namespace {

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

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code) {
  CLI::App* const command = app.add_subcommand("run", "Run a program in a sandbox");
  const auto options = std::make_shared<RunOptions>();
  options->args = args;
  add_run_options(*command, *options);
  command->footer("Words after -- are the program's arguments.");
  command->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report_error(done.error(), options->json);
  });
}

}  // namespace cove
