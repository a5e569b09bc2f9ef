#include "net/serve_command.h"

#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/config_keys.h"
#include "api/server.h"
#include "base/parse_duration.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/installation.h"
#include "net/config_options.h"
#include "net/notify_systemd.h"
#include "net/served_backends.h"

namespace cove {

namespace {

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, stop, [] { return false; });
}

std::string url_of(const std::string& address, bool tls) {
  if (address.starts_with("unix:")) return address;
  return (tls ? "https://" : "http://") + address;
}

std::string stopping_text(const ServerConfig& config, bool idle) {
  if (!idle) {
    return "stopping: what runs has " + format_duration(config.shutdown_grace) +
           " to end; a second signal ends it now";
  }
  if (config.shutdown_delay.count() == 0) return "stopping";
  return "stopping in " + format_duration(config.shutdown_delay) + "; a second signal ends it now";
}

Result<int> serve(const ConfigOptions& options) {
  COVE_ASSIGN(const LoadedConfig loaded, options.load());
  const ServerConfig& config = loaded.config;
  COVE_ASSIGN(Installation installation, load_installation());
  const std::stop_source stop;
  const std::stop_source hurry;
  COVE_ASSIGN(const CancelOnSignal on_signal, CancelOnSignal::install(stop, hurry));
  COVE_ASSIGN(const std::unique_ptr<Server> server,
              Server::start(config, std::move(installation.catalog),
                            std::move(installation.presets), served_backends()));
  std::string text;
  for (const std::string& address : server->addresses()) {
    text += "listening on " + url_of(address, !config.tls_certificate.empty()) + "\n";
  }
  (void)write_fully(STDOUT_FILENO, text);
  if (config.data_dir.empty()) {
    say("no data_dir: history is kept in memory and there is no audit log");
  }
  notify_systemd("READY=1");
  wait_for(stop.get_token());
  notify_systemd("STOPPING=1");
  say(stopping_text(config, server->is_idle()));
  if (!server->stop(config.shutdown_grace, hurry.get_token()))
    say("some executions were cancelled");
  return 0;
}

Result<int> print_config(const ConfigOptions& options) {
  COVE_ASSIGN(const LoadedConfig loaded, options.load());
  (void)write_fully(STDOUT_FILENO, loaded.to_text());
  return 0;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("serve", "Run the HTTP server");
  const auto options = add_config_options(*command, {});
  const auto print = std::make_shared<bool>(false);
  const auto table = std::make_shared<bool>(false);
  command->add_flag("--dev", options->dev,
                    "For your own machine: environment local, loopback only, no key needed");
  command->add_flag("--print-config", *print, "Show every setting and where it comes from");
  command->add_flag("--print-config-table", *table, "Show the table of docs/operations.md");
  command->callback([options, print, table, &exit_code] {
    if (*table) {
      (void)write_fully(STDOUT_FILENO, config_keys_markdown());
      return;
    }
    const auto done = *print ? print_config(*options) : serve(*options);
    exit_code = done ? *done : options->report(done.error(), false);
  });
}

}  // namespace cove
