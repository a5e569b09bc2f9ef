#include "cli/run_command.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/strings.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/deliver_files.h"
#include "cli/executor_choice.h"
#include "cli/exit_code.h"
#include "cli/option_names.h"
#include "cli/policy_verdict.h"
#include "cli/run_flags.h"
#include "cli/run_notes.h"
#include "cli/run_options.h"
#include "cli/server_flags.h"
#include "cli/stream_output.h"
#include "model/request_codec.h"
#include "model/result_codec.h"
#include "policy/explain.h"
#include "policy/validate.h"

namespace cove {

namespace {

// The lines of NativeExecutor::explain() without their numbers.
json::array explained_steps(std::string_view text) {
  json::array steps;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view step = trim(line);
    if (const auto gap = step.find("  "); gap != std::string_view::npos) {
      steps.emplace_back(sanitize_utf8(trim(step.substr(gap))));
    }
  }
  return steps;
}

std::string steps_text(const ExplainedSteps& steps) {
  if (steps.compiler.empty()) return steps.program;
  return fmt::format(
      "The compiler has a sandbox of its own, within limits of its own: {}. Its steps:\n{}\n"
      "What it builds is run within the limits above. The steps:\n{}",
      steps.compiler_limits, steps.compiler, steps.program);
}

// --explain: what would be enforced, then the steps of the set-up.
Result<int> explain(const RunOptions& options, const ExecutionRequest& request,
                    const ExecutorChoice& choice, const Limits& profile_limits) {
  const BackendCapabilities capabilities = choice.executor->capabilities();
  COVE_TRY(validate_request_values(request));
  const std::vector<Refusal> further = backend_refusals(choice, request.policy);
  std::vector<Refusal> refusals = request_refusals(request, capabilities);
  refusals.insert(refusals.end(), further.begin(), further.end());
  ExplainedSteps steps;
  if (refusals.empty()) {
    COVE_ASSIGN(steps, explain_steps(choice, request));
  }
  std::string text;
  if (options.json) {
    json::object report = encode_verdict(
        request.policy, capabilities,
        {refusals, unenforced_defaults(request.limits, request.policy.limits, capabilities)});
    report["language"] = sanitize_utf8(request.language);
    report["steps"] = explained_steps(steps.program);
    if (!steps.compiler.empty()) {
      report["compiler_limits"] = steps.compiler_limits;
      report["compiler_steps"] = explained_steps(steps.compiler);
    }
    text = json::serialize(report) + "\n";
  } else {
    text = explain_request(request, capabilities, profile_limits, further);
    if (!steps.program.empty()) text += "\n" + steps_text(steps);
    text = in_options(with_local_advice(std::move(text)), options);
  }
  (void)write_fully(STDOUT_FILENO, text);
  return refusals.empty() ? 0 : kExitRefused;
}

Result<ExecutorChoice> choose_here(const RunOptions& options, const ExecutionRequest& /*request*/,
                                   RuntimeCatalog catalog, const Limits& /*profile_limits*/) {
  return choose_executor(backend_options(options), std::move(catalog));
}

}  // namespace

Result<int> run_program(const RunOptions& options, const ChooseExecutor& choose) {
  COVE_TRY(check_backend_options(options));
  COVE_ASSIGN(Installation installation, load_installation(language_word(options)));
  COVE_ASSIGN(const ExecutionRequest request, build_request(options, installation));
  Limits profile_limits;
  for (const auto& profile : installation.catalog.profiles()) {
    if (profile.name == request.language ||
        std::ranges::find(profile.aliases, request.language) != profile.aliases.end()) {
      profile_limits = profile.limits;
    }
  }
  COVE_ASSIGN(ExecutorChoice choice,
              choose(options, request, std::move(installation.catalog), profile_limits));
  if (options.explain) return explain(options, request, choice, profile_limits);

  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  std::unique_ptr<StreamOutput> stream;
  if (!options.json) {
    const bool progress = ::isatty(STDERR_FILENO) == 1;
    stream = std::make_unique<StreamOutput>(
        StreamOptions{options.raw, progress, diagnostic_style(options)}, stop);
  }
  auto executed = choice.executor->execute(request, {stop.get_token(), stream.get()});
  if (stream) stream->finish();
  if (!executed) return Err(std::move(executed).error());
  ExecutionResult result = std::move(*executed);

  const auto delivered = deliver_files(options, result);
  if (!delivered) say(delivered.error().message());
  const int exit_code = delivered ? exit_code_of(result) : kExitRefused;
  if (options.json) {
    if (!write_fully(STDOUT_FILENO, encode_result_text(result) + "\n")) return kExitReaderGone;
    return exit_code;
  }
  if (stream->reader_gone()) return kExitReaderGone;
  const BackendCapabilities capabilities = choice.executor->capabilities();
  for (const std::string& note : run_notes(request, result, profile_limits, capabilities)) {
    say(note);
  }
  return exit_code;
}

void add_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code) {
  CLI::App* const command = app.add_subcommand("run", "Run a program in a sandbox");
  const auto options = std::make_shared<RunOptions>();
  options->args = args;
  add_run_options(*command, *options);
  const auto server = std::make_shared<ServerFlags>();
  add_server_flags(*command, *server, ": run it there");
  command->footer(
      "Words after -- are the program's arguments. With --server, what runs the program is the "
      "server's to decide: --backend and the options of backends, --profile and --explain are for "
      "runs here.");
  command->callback([options, server, command, &exit_code] {
    if (std::string stray = stray_server_flag(*command); !stray.empty()) {
      exit_code = report_error(Error(ErrorCode::InvalidRequest, stray + "; without it the program "
                                                                        "runs here"),
                               options->json);
      return;
    }
    const auto done = run_program(*options, choose_here);
    exit_code = done ? *done : report_local_error(done.error(), *options);
  });
}

}  // namespace cove
