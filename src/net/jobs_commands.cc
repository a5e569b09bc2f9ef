#include "net/jobs_commands.h"

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/parse_size.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/stream_output.h"
#include "net/execution_rows.h"
#include "net/remote_json.h"
#include "net/server_options.h"

namespace cove {

namespace {

struct PsOptions {
  std::shared_ptr<ServerOptions> server;
  bool all = false;
  std::size_t limit = 50;
  std::string caller;
  bool json = false;
};

Result<std::vector<RemoteExecution>> fetch(Client& client, const PsOptions& options) {
  ListFilter filter;
  filter.limit = options.limit;
  filter.caller = options.caller;
  if (options.all) {
    COVE_ASSIGN(RemoteExecutions found, client.list(filter));
    return std::move(found.executions);
  }
  return unfinished_executions(client, filter);
}

Result<int> ps(const PsOptions& options) {
  COVE_ASSIGN(Client client, options.server->connect());
  auto fetched = fetch(client, options);
  // A key for sessions alone sees its cells; one that may see neither is told.
  const bool may_not = !fetched && fetched.error().code() == ErrorCode::Forbidden;
  if (!fetched && !(may_not && client.sessions())) return Err(std::move(fetched).error());
  const std::vector<RemoteExecution> executions =
      fetched ? std::move(*fetched) : std::vector<RemoteExecution>();
  COVE_ASSIGN(const auto busy, busy_sessions(client, options.caller));
  if (!options.json) {
    (void)write_fully(STDOUT_FILENO, execution_table(executions, busy));
    return 0;
  }
  json::array list;
  for (const RemoteExecution& execution : executions) list.push_back(encode_remote(execution));
  (void)write_fully(STDOUT_FILENO, write_json(json::object{{"executions", std::move(list)},
                                                           {"cells", encode_cells(busy)}}) +
                                       "\n");
  return 0;
}

struct LogsOptions {
  std::shared_ptr<ServerOptions> server;
  std::string id;
  bool follow = false;
  bool raw = false;
  bool json = false;
};

// Output for an object instead of a terminal.
class KeepOutput final : public OutputSink {
 public:
  void on_stdout(std::string_view bytes) override { out += bytes; }
  void on_stderr(std::string_view bytes) override { err += bytes; }

  std::string out;
  std::string err;
};

// To a terminal: what was written, as the history will have it, and nothing of a compiler besides.
class ShowOutput final : public OutputSink {
 public:
  explicit ShowOutput(StreamOutput& stream) : stream_(stream) {}
  void on_stdout(std::string_view bytes) override { stream_.on_stdout(bytes); }
  void on_stderr(std::string_view bytes) override { stream_.on_stderr(bytes); }

 private:
  StreamOutput& stream_;
};

Result<> show_output(Client& client, const LogsOptions& options, const RemoteContext& context) {
  if (!options.follow) return client.output_so_far(options.id, context);
  COVE_TRY(client.follow(options.id, context));
  return {};
}

Result<int> logs_as_json(Client& client, const LogsOptions& options,
                         const RemoteExecution& execution) {
  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  KeepOutput kept;
  if (execution.result) {
    kept.out = execution.result->stdout_data;
    kept.err = execution.result->stderr_data;
  } else {
    RemoteContext context;
    context.cancel = stop.get_token();
    context.sink = &kept;
    const Result<> shown = show_output(client, options, context);
    if (stop.stop_requested()) return kExitCancelled;
    COVE_TRY(shown);
  }
  COVE_ASSIGN(const RemoteExecution now, client.find(options.id));
  json::object out{{"id", now.id},
                   {"state", now.state},
                   {"stdout", sanitize_utf8(kept.out)},
                   {"stderr", sanitize_utf8(kept.err)}};
  (void)write_fully(STDOUT_FILENO, write_json(out) + "\n");
  return 0;
}

Result<int> logs(const LogsOptions& options) {
  if (options.id.starts_with("ses_")) {
    return Err(Error(ErrorCode::InvalidRequest,
                     "ID: " + quoted(options.id) +
                         " is a session, and logs shows executions. What a cell writes is printed "
                         "by \"cove session exec\"; \"cove session ls\" shows sessions"));
  }
  COVE_ASSIGN(Client client, options.server->connect());
  COVE_ASSIGN(const RemoteExecution execution, client.find(options.id));
  if (execution.state == "failed") {
    return Err(execution.error.value_or(Error(ErrorCode::ExecutionFailed, "the execution failed")));
  }
  if (options.json) return logs_as_json(client, options, execution);
  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  StreamOutput stream({options.raw, false}, stop);
  if (execution.result) {
    stream.on_stdout(execution.result->stdout_data);
    stream.on_stderr(execution.result->stderr_data);
    stream.finish();
    return stream.reader_gone() ? kExitReaderGone : 0;
  }
  RemoteContext context;
  context.cancel = stop.get_token();
  ShowOutput shown_output(stream);
  context.sink = &shown_output;
  std::uint64_t dropped = 0;
  context.on_dropped = [&dropped](std::uint64_t bytes) { dropped += bytes; };
  const Result<> shown = show_output(client, options, context);
  stream.finish();
  if (stream.reader_gone()) return kExitReaderGone;
  if (stop.stop_requested()) return kExitCancelled;
  COVE_TRY(shown);
  if (dropped > 0) {
    say(format_size({dropped}) + " were not shown: they were not read in time");
  }
  return 0;
}

}  // namespace

void add_ps_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("ps", "What a server runs");
  const auto options = std::make_shared<PsOptions>();
  options->server = add_server_options(*command);
  command->add_flag("-a,--all", options->all, "Past executions too, newest first");
  command->add_option("-n,--limit", options->limit, "At most so many")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command->add_option("--caller", options->caller, "Only those of this key (needs scope admin)");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &exit_code] {
    const auto done = ps(*options);
    exit_code = done ? *done : report_error(options->server->explain(done.error()), options->json);
  });
}

void add_logs_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("logs", "What an execution on a server has written");
  const auto options = std::make_shared<LogsOptions>();
  options->server = add_server_options(*command);
  command->add_option("ID", options->id, "The execution")->required();
  command->add_flag("-f,--follow", options->follow, "Until it ends");
  command->add_flag("--raw", options->raw, "Let escape sequences reach the terminal");
  command->add_flag("--json", options->json, "Print one JSON object: id, state, stdout, stderr");
  command->callback([options, &exit_code] {
    const auto done = logs(*options);
    exit_code = done ? *done : report_error(options->server->explain(done.error()), options->json);
  });
}

}  // namespace cove
