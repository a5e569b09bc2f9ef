#include "net/top_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "net/execution_rows.h"
#include "net/live_screen.h"
#include "net/metrics_sample.h"
#include "net/remote_json.h"
#include "net/server_options.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFirstStep{500};

struct TopOptions {
  std::shared_ptr<ServerOptions> server;
  std::string interval = "1s";
  bool json = false;
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
  if (!sessions && sessions.error().code() != ErrorCode::Forbidden) {
    return Err(std::move(sessions).error());
  }
  return look;
}

// Of a histogram only the bound is known.
std::string at_most(double seconds) {
  if (seconds < 0) return "-";
  return seconds < 1 ? fmt::format("≤ {:.3g} ms", seconds * 1000)
                     : fmt::format("≤ {:.3g} s", seconds);
}

// What two looks say of the time between them.
class Figures {
 public:
  Figures(const Look& before, const Look& now)
      : before_(before),
        now_(now),
        seconds_(std::max(0.001, std::chrono::duration<double>(now.time - before.time).count())) {}

  double rate(std::string_view name) const {
    return (now_.metrics.sum(name) - before_.metrics.sum(name)) / seconds_;
  }
  double total(std::string_view name, std::string_view label = "") const {
    return now_.metrics.sum(name, label);
  }
  double quantile(std::string_view histogram, double share) const {  // negative: nothing came
    return quantile_between(before_.metrics, now_.metrics, histogram, share);
  }

 private:
  const Look& before_;
  const Look& now_;
  double seconds_;
};

std::string render(const std::string& address, const Look& before, const Look& now) {
  const Figures figures(before, now);
  const auto rate = [&](std::string_view name) { return figures.rate(name); };
  const auto total = [&](std::string_view name, std::string_view label = "") {
    return figures.total(name, label);
  };
  std::string out = fmt::format("{}   connections {:.0f}\n", escape_file_name(address),
                                total("cove_http_connections"));
  out += fmt::format(
      "executions  {:.1f}/s   running {:.0f}   queued {:.0f}   total {:.0f}   successful {:.0f}\n",
      rate("cove_executions_total"), total("cove_jobs_running"), total("cove_jobs_queued"),
      total("cove_executions_total"), total("cove_executions_total", "status=\"success\""));
  out += fmt::format("run time    median {}   p99 {}   waiting: median {}\n",
                     at_most(figures.quantile("cove_run_seconds", 0.5)),
                     at_most(figures.quantile("cove_run_seconds", 0.99)),
                     at_most(figures.quantile("cove_queue_seconds", 0.5)));
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

// The same as an object; times in seconds, null where nothing came.
json::object encode(const std::string& address, const Look& before, const Look& now) {
  const Figures figures(before, now);
  const auto count = [&](std::string_view name, std::string_view label = "") {
    return static_cast<std::int64_t>(figures.total(name, label));
  };
  const auto quantile = [&](std::string_view name, double share) -> json::value {
    const double seconds = figures.quantile(name, share);
    return seconds < 0 ? json::value() : json::value(seconds);
  };
  json::array running;
  for (const RemoteExecution& execution : now.executions) {
    running.push_back(encode_remote(execution));
  }
  json::object out{
      {"server", address},
      {"connections", count("cove_http_connections")},
      {"executions",
       json::object{{"per_second", figures.rate("cove_executions_total")},
                    {"running", count("cove_jobs_running")},
                    {"queued", count("cove_jobs_queued")},
                    {"total", count("cove_executions_total")},
                    {"successful", count("cove_executions_total", "status=\"success\"")}}},
      {"run_seconds", json::object{{"median", quantile("cove_run_seconds", 0.5)},
                                   {"p99", quantile("cove_run_seconds", 0.99)}}},
      {"queue_seconds", json::object{{"median", quantile("cove_queue_seconds", 0.5)}}},
      {"pool", json::object{{"ready", count("cove_pool_ready")},
                            {"hits", count("cove_pool_hits_total")},
                            {"misses", count("cove_pool_misses_total")}}},
      {"requests", json::object{{"per_second", figures.rate("cove_http_requests_total")},
                                {"refused_per_second", figures.rate("cove_refusals_total")},
                                {"refused", count("cove_refusals_total")}}},
      {"unfinished", std::move(running)}};
  if (!now.sessions) return out;
  json::array sessions;
  for (const RemoteSession& session : *now.sessions) sessions.push_back(encode_remote(session));
  out["sessions"] = std::move(sessions);
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
  if (options.json || ::isatty(STDOUT_FILENO) != 1) {
    std::this_thread::sleep_for(kFirstStep);
    COVE_ASSIGN(const Look now, look_at(client));
    (void)write_fully(STDOUT_FILENO, options.json ? write_json(encode(address, before, now)) + "\n"
                                                  : render(address, before, now));
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
  command->add_flag("--json", options->json, "Print one look as one JSON object");
  command->callback([options, &exit_code] {
    const auto done = top(*options);
    exit_code = done ? *done : report_error(options->server->explain(done.error()), options->json);
  });
}

}  // namespace cove
