#include "net/jobs_commands.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "base/write_json.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/stream_output.h"
#include "net/execution_rows.h"
#include "net/server_options.h"

namespace cove {

namespace {

// What an execution has written so far comes at once; a pause this long means that was all.
constexpr std::chrono::milliseconds kPause{400};

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

json::object encode(const RemoteExecution& execution) {
  json::object out{{"id", execution.id},         {"state", execution.state},
                   {"caller", execution.caller}, {"language", execution.language},
                   {"policy", execution.policy}, {"created", execution.created}};
  if (!execution.started.empty()) out["started"] = execution.started;
  if (!execution.finished.empty()) out["finished"] = execution.finished;
  if (execution.status) out["status"] = *execution.status;
  if (execution.exit_code) out["exit_code"] = *execution.exit_code;
  if (execution.duration_ms) out["duration_ms"] = *execution.duration_ms;
  return out;
}

Result<int> ps(const PsOptions& options) {
  COVE_ASSIGN(Client client, options.server->connect());
  COVE_ASSIGN(const auto executions, fetch(client, options));
  if (!options.json) {
    (void)write_fully(STDOUT_FILENO, execution_table(executions));
    return 0;
  }
  json::array list;
  for (const RemoteExecution& execution : executions) list.push_back(encode(execution));
  (void)write_fully(STDOUT_FILENO,
                    write_json(json::object{{"executions", std::move(list)}}) + "\n");
  return 0;
}

struct LogsOptions {
  std::shared_ptr<ServerOptions> server;
  std::string id;
  bool follow = false;
  bool raw = false;
};

// Passes output on and remembers when the last came.
class TimedSink final : public OutputSink {
 public:
  explicit TimedSink(OutputSink& next) : next_(next) {}
  void on_stdout(std::string_view bytes) override {
    touch();
    next_.on_stdout(bytes);
  }
  void on_stderr(std::string_view bytes) override {
    touch();
    next_.on_stderr(bytes);
  }
  void touch() { last_ = std::chrono::steady_clock::now(); }
  bool quiet() const { return std::chrono::steady_clock::now() - last_.load() > kPause; }

 private:
  OutputSink& next_;
  std::atomic<std::chrono::steady_clock::time_point> last_ = std::chrono::steady_clock::now();
};

Result<int> logs(const LogsOptions& options) {
  COVE_ASSIGN(Client client, options.server->connect());
  COVE_ASSIGN(const RemoteExecution execution, client.find(options.id));
  if (execution.state == "failed") {
    return Err(execution.error.value_or(Error(ErrorCode::ExecutionFailed, "the execution failed")));
  }
  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  StreamOutput stream({options.raw, false}, stop);
  if (execution.result) {
    stream.on_stdout(execution.result->stdout_data);
    stream.on_stderr(execution.result->stderr_data);
    stream.finish();
    return stream.reader_gone() ? kExitReaderGone : 0;
  }
  TimedSink timed(stream);
  RemoteContext context;
  context.cancel = stop.get_token();
  context.sink = &timed;
  context.on_started = [&timed](std::string_view) { timed.touch(); };
  std::atomic<bool> had_all = false;
  std::jthread watch;
  if (!options.follow) {
    watch = std::jthread([&](const std::stop_token& done) {
      while (!done.stop_requested() && !timed.quiet()) std::this_thread::sleep_for(kPause / 10);
      had_all = !done.stop_requested();
      stop.request_stop();
    });
  }
  auto result = client.follow(options.id, context);
  watch = {};
  stream.finish();
  if (stream.reader_gone()) return kExitReaderGone;
  if (result || had_all) return 0;
  if (stop.stop_requested()) return kExitCancelled;
  return Err(std::move(result).error());
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
    exit_code = done ? *done : report_error(done.error(), options->json);
  });
}

void add_logs_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("logs", "What an execution on a server has written");
  const auto options = std::make_shared<LogsOptions>();
  options->server = add_server_options(*command);
  command->add_option("ID", options->id, "The execution")->required();
  command->add_flag("-f,--follow", options->follow, "Until it ends");
  command->add_flag("--raw", options->raw, "Let escape sequences reach the terminal");
  command->callback([options, &exit_code] {
    const auto done = logs(*options);
    exit_code = done ? *done : report_error(done.error(), false);
  });
}

}  // namespace cove
