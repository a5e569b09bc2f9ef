#include "net/remote_run_command.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/deliver_files.h"
#include "cli/exit_code.h"
#include "cli/option_names.h"
#include "cli/run_flags.h"
#include "cli/stream_output.h"
#include "model/result_codec.h"
#include "net/server_options.h"

namespace cove {

namespace {

struct RemoteRun {
  RunOptions run;
  std::shared_ptr<ServerOptions> server;
  bool names_policy = false;
};

// Why the program was stopped, without figures: the limits are the server's.
void say_notes(const ExecutionResult& result) {
  // Processor time that is used up has the same status; its own line is below.
  const bool cpu_ended =
      std::ranges::find(result.limits_hit, LimitHit::Cpu) != result.limits_hit.end();
  if (result.status == ExecutionStatus::Timeout && !cpu_ended) {
    say("stopped by the timeout; raise it with --timeout");
  }
  if (result.status == ExecutionStatus::Oom) say("out of memory; raise it with --memory");
  if (result.status == ExecutionStatus::Cancelled) say("cancelled");
  if (result.status == ExecutionStatus::Failed && result.signal) {
    say("the program was killed by " + escape_file_name(*result.signal));
  }
  for (const LimitHit hit : result.limits_hit) {
    if (hit == LimitHit::Pids) say("limit of processes reached; raise it with --pids");
    if (hit == LimitHit::Disk) say("disk limit reached; raise it with --disk");
    if (hit == LimitHit::Cpu) say("cpu time limit reached; raise it with --cpu-time");
    if (hit == LimitHit::Memory && result.status != ExecutionStatus::Oom) {
      say("memory limit reached; raise it with --memory");
    }
  }
  if (result.stdout_truncated) say("stdout was cut");
  if (result.stderr_truncated) say("stderr was cut");
}

bool is_policy_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml") || name.ends_with(".json");
}

// A preset's name is the server's to understand; a file is read here and sent whole.
Result<ExecutionRequest> remote_request(const RemoteRun& options, PolicyForm& form) {
  RunOptions run = options.run;
  const std::string policy = run.policy;
  form = PolicyForm::ServerDefault;
  if (options.names_policy) {
    form = is_policy_file(policy) ? PolicyForm::Whole : PolicyForm::ByName;
  }
  if (form != PolicyForm::Whole) run.policy = "strict";
  COVE_ASSIGN(Installation installation, load_installation(language_word(run)));
  COVE_ASSIGN(ExecutionRequest request, build_request(run, installation));
  if (form == PolicyForm::ByName) request.policy.name = policy;
  return request;
}

Result<int> run_remote(const RemoteRun& options) {
  RemoteContext context;
  COVE_ASSIGN(const ExecutionRequest request, remote_request(options, context.policy));
  COVE_ASSIGN(Client client, options.server->connect());

  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  context.cancel = stop.get_token();
  std::unique_ptr<StreamOutput> stream;
  if (!options.run.json) {
    const bool progress = ::isatty(STDERR_FILENO) == 1;
    stream = std::make_unique<StreamOutput>(StreamOptions{options.run.raw, progress}, stop);
    context.sink = stream.get();
  }
  std::uint64_t dropped = 0;
  context.on_dropped = [&dropped](std::uint64_t bytes) { dropped += bytes; };
  auto executed = client.execute(request, context);
  if (stream) stream->finish();
  if (!executed) return Err(std::move(executed).error());
  ExecutionResult result = std::move(*executed);

  const auto delivered = deliver_files(options.run, result);
  if (!delivered) say(delivered.error().message());
  const int exit_code = delivered ? exit_code_of(result) : kExitRefused;
  if (options.run.json) {
    if (!write_fully(STDOUT_FILENO, encode_result_text(result) + "\n")) return kExitReaderGone;
    return exit_code;
  }
  if (stream->reader_gone()) return kExitReaderGone;
  if (dropped > 0) {
    say(fmt::format("{} of the output were not shown: it was not read in time (see cove logs {})",
                    format_size({dropped}), escape_file_name(result.execution_id)));
  }
  say_notes(result);
  return exit_code;
}

}  // namespace

void add_remote_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code) {
  CLI::App* const command = app.add_subcommand("run", "Run a program on a server");
  command->footer("Words after -- are the program's arguments.");
  const auto options = std::make_shared<RemoteRun>();
  options->run.args = args;
  add_run_options(*command, options->run);
  options->server = add_server_options(*command);
  command->callback([options, command, &exit_code] {
    options->names_policy = command->count("--policy") > 0;
    // These speak of this machine; the server decides them for itself.
    for (const char* name : {"--backend", "--isolation", "--image", "--engine", "--runtime",
                             "--pull", "--profile", "--explain"}) {
      if (command->count(name) == 0) continue;
      exit_code =
          report_error(Error(ErrorCode::InvalidRequest,
                             std::string(name) + " cannot be used with --server: what runs "
                                                 "the program and how is the server's to decide"),
                       options->run.json);
      return;
    }
    const auto done = run_remote(*options);
    exit_code = done ? *done : report_run_error(done.error(), options->run);
  });
}

}  // namespace cove
