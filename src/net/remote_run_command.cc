#include "net/remote_run_command.h"

#include <unistd.h>

#include <array>
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
#include "net/docker_run_command.h"
#include "net/remote_notes.h"
#include "net/server_options.h"

namespace cove {

namespace {

// These speak of this machine; the server decides them for itself.
constexpr std::array<const char*, 8> kLocalOnly{"--isolation",   "--image",  "--engine",
                                                "--runtime",     "--pull",   "--profile",
                                                "--docker-host", "--explain"};

struct RemoteRun {
  RunOptions run;
  std::shared_ptr<ServerOptions> server;
  bool names_policy = false;
  bool names_backend = false;
};

bool is_policy_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml") || name.ends_with(".json");
}

struct RemoteProgram {
  ExecutionRequest request;
  Limits profile_limits;  // of the language, as it is known here
};

// A preset's name is the server's to understand; a file is read here and sent whole.
Result<RemoteProgram> remote_program(const RemoteRun& options, PolicyForm& form) {
  RunOptions run = options.run;
  const std::string policy = run.policy;
  form = PolicyForm::ServerDefault;
  if (options.names_policy) {
    form = is_policy_file(policy) ? PolicyForm::Whole : PolicyForm::ByName;
  }
  if (form != PolicyForm::Whole) run.policy = "strict";
  COVE_ASSIGN(Installation installation, load_installation(language_word(run)));
  RemoteProgram out;
  COVE_ASSIGN(out.request, build_request(run, installation));
  if (form == PolicyForm::ByName) out.request.policy.name = policy;
  for (const auto& profile : installation.catalog.profiles()) {
    if (profile.name == out.request.language) out.profile_limits = profile.limits;
  }
  return out;
}

Result<int> run_remote(const RemoteRun& options) {
  RemoteContext context;
  COVE_ASSIGN(const RemoteProgram program, remote_program(options, context.policy));
  const ExecutionRequest& request = program.request;
  if (options.names_backend) context.backend = options.run.backend;
  COVE_ASSIGN(Client client, options.server->connect());

  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  context.cancel = stop.get_token();
  std::unique_ptr<StreamOutput> stream;
  if (!options.run.json) {
    const bool progress = ::isatty(STDERR_FILENO) == 1;
    stream = std::make_unique<StreamOutput>(
        StreamOptions{options.run.raw, progress, diagnostic_style(options.run)}, stop);
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
  const bool cut = ended_by_stop(result.status, result.notes);
  const int exit_code = delivered && !cut ? exit_code_of(result) : kExitRefused;
  if (options.run.json) {
    if (!write_fully(STDOUT_FILENO, encode_result_text(result) + "\n")) return kExitReaderGone;
    return exit_code;
  }
  if (stream->reader_gone()) return kExitReaderGone;
  if (dropped > 0) {
    say(fmt::format("{} of the output were not shown: it was not read in time (see cove logs {})",
                    format_size({dropped}), escape_file_name(result.execution_id)));
  }
  for (const std::string& note :
       remote_run_notes(client, request, context, program.profile_limits, result)) {
    say(note);
  }
  return exit_code;
}

}  // namespace

void add_remote_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code) {
  CLI::App* const command = app.add_subcommand("run", "Run a program on a server");
  command->footer("Words after -- are the program's arguments.");
  const auto options = std::make_shared<RemoteRun>();
  options->run.args = args;
  add_run_options(*command, options->run);
  for (const char* name : kLocalOnly) command->get_option(name)->group("");  // not in the help
  command->get_option("--policy")->default_str("the server's");
  command->get_option("--backend")->default_str("the server's");
  options->server = add_server_options(*command);
  command->callback([options, command, &exit_code] {
    if (options->run.backend == "docker" && command->count("--server") == 0) {
      for (const char* name : {"--key", "--ca-file", "--insecure"}) {
        if (command->count(name) == 0) continue;
        exit_code = report_error(Error(ErrorCode::InvalidRequest,
                                       std::string(name) + " is for --server, not for a backend"),
                                 options->run.json);
        return;
      }
      exit_code = run_in_docker(options->run);
      return;
    }
    options->names_policy = command->count("--policy") > 0;
    options->names_backend = command->count("--backend") > 0;
    for (const char* name : kLocalOnly) {
      if (command->count(name) == 0) continue;
      exit_code =
          report_error(Error(ErrorCode::InvalidRequest,
                             std::string(name) + " cannot be used with --server: what runs "
                                                 "the program and how is the server's to decide"),
                       options->run.json);
      return;
    }
    const auto done = run_remote(*options);
    exit_code =
        done ? *done : report_run_error(options->server->explain(done.error()), options->run);
  });
}

}  // namespace cove
