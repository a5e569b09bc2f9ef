#include "net/top_command.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/strings.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "net/execution_rows.h"
#include "net/live_screen.h"
#include "net/metrics_sample.h"
#include "net/server_options.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFirstStep{500};

struct TopOptions {
  std::shared_ptr<ServerOptions> server;
  std::string interval = "1s";
};

struct Look {
  Clock::time_point time;
  MetricsSample metrics;
  std::vector<RemoteExecution> executions;
  std::optional<std::vector<RemoteSession>> sessions;  // absent: the key may not see them
};

Result<Look> look_at(Client& client) {
  Look look;
  COVE_ASSIGN(const std::string text, client.metrics());
  look.time = Clock::now();
  look.metrics = MetricsSample::parse(text);
  COVE_ASSIGN(look.executions, unfinished_executions(client, {}));
  auto sessions = client.sessions();
  if (sessions) look.sessions = std::move(*sessions);
  if (!sessions && sessions.error().code() != ErrorCode::Forbidden &&
      sessions.error().code() != ErrorCode::NotFound) {
    return Err(std::move(sessions).error());
  }
  return look;
}

std::string duration_text(double seconds) {
  if (seconds < 0) return "-";
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1000) : fmt::format("{:.3g} s", seconds);
}

std::string render(const std::string& address, const Look& before, const Look& now) {
  const double seconds =
      std::max(0.001, std::chrono::duration<double>(now.time - before.time).count());
  const auto rate = [&](std::string_view name, std::string_view label = "") {
    return (now.metrics.sum(name, label) - before.metrics.sum(name, label)) / seconds;
  };
  const auto total = [&](std::string_view name, std::string_view label = "") {
    return now.metrics.sum(name, label);
  };
  std::string out = fmt::format("{}   connections {:.0f}\n", escape_file_name(address),
                                total("cove_http_connections"));
  out += fmt::format(
      "executions  {:.1f}/s   running {:.0f}   queued {:.0f}   total {:.0f}   successful {:.0f}\n",
      rate("cove_executions_total"), total("cove_jobs_running"), total("cove_jobs_queued"),
      total("cove_executions_total"), total("cove_executions_total", "status=\"success\""));
  out += fmt::format(
      "run time    median ≤ {}   p99 ≤ {}   waiting: median ≤ {}\n",
      duration_text(quantile_between(before.metrics, now.metrics, "cove_run_seconds", 0.5)),
      duration_text(quantile_between(before.metrics, now.metrics, "cove_run_seconds", 0.99)),
      duration_text(quantile_between(before.metrics, now.metrics, "cove_queue_seconds", 0.5)));
  out += fmt::format("warm pool   ready {:.0f}   hits {:.0f}   misses {:.0f}\n",
                     total("cove_pool_ready"), total("cove_pool_hits_total"),
                     total("cove_pool_misses_total"));
  out += fmt::format("requests    {:.1f}/s   refused {:.1f}/s ({:.0f} in all)\n\n",
                     rate("cove_http_requests_total"), rate("cove_refusals_total"),
                     total("cove_refusals_total"));
  out += execution_table(now.executions);
  if (now.sessions) out += "\n" + session_table(*now.sessions);
  return out;
}

Result<int> top(const TopOptions& options) {
  auto interval = parse_duration(options.interval);
  if (!interval) return Err(std::move(interval).error().with_context("--interval"));
  if (*interval < std::chrono::milliseconds(100)) {
    return Err(Error(ErrorCode::InvalidRequest, "--interval: must be at least 100ms"));
  }
  COVE_ASSIGN(Client client, options.server->connect());
  const std::string address = options.server->address();
  COVE_ASSIGN(Look before, look_at(client));
  if (::isatty(STDOUT_FILENO) != 1) {
    std::this_thread::sleep_for(kFirstStep);
    COVE_ASSIGN(const Look now, look_at(client));
    (void)write_fully(STDOUT_FILENO, render(address, before, now));
    return 0;
  }
  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  const LiveScreen screen;
  auto step = kFirstStep;
  while (screen.wait(step, stop.get_token())) {
    auto now = look_at(client);
    if (!now) return Err(std::move(now).error());
    screen.show(render(address, before, *now) + "\nq or Ctrl-C ends");
    before = std::move(*now);
    step = *interval;
  }
  return 0;
}

}  // namespace

void add_top_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("top", "Watch a server at work");
  const auto options = std::make_shared<TopOptions>();
  options->server = add_server_options(*command);
  command->add_option("--interval", options->interval, "Between two looks")->capture_default_str();
  command->callback([options, &exit_code] {
    const auto done = top(*options);
    exit_code = done ? *done : report_error(done.error(), false);
  });
}

}  // namespace cove
