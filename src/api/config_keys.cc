#include "api/config_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_size.h"
#include "base/strings.h"

namespace cove {

namespace {

using std::chrono::milliseconds;
using Setter = std::function<Result<>(ServerConfig&, const std::string&)>;

Err bad(std::string_view problem) {
  return Err(Error(ErrorCode::InvalidRequest, std::string(problem)));
}

Setter text(std::string ServerConfig::* member) {
  return [member](ServerConfig& config, const std::string& value) -> Result<> {
    config.*member = value;
    return {};
  };
}

Setter list(std::vector<std::string> ServerConfig::* member) {
  return [member](ServerConfig& config, const std::string& value) -> Result<> {
    (config.*member).clear();
    for (const std::string_view part : split(value, ',')) {
      if (!trim(part).empty()) (config.*member).emplace_back(trim(part));
    }
    return {};
  };
}

Result<std::uint64_t> whole_number(const std::string& value, std::uint64_t low,
                                   std::uint64_t high) {
  std::uint64_t out = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), out);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || out < low ||
      out > high) {
    return bad(
        fmt::format("must be a whole number from {} to {}, got {}", low, high, quoted(value)));
  }
  return out;
}

Setter number(unsigned ServerConfig::* member, unsigned low, unsigned high) {
  return [=](ServerConfig& config, const std::string& value) -> Result<> {
    COVE_ASSIGN(const std::uint64_t parsed, whole_number(value, low, high));
    config.*member = static_cast<unsigned>(parsed);
    return {};
  };
}

Setter count_of_ms(milliseconds ServerConfig::* member) {
  return [=](ServerConfig& config, const std::string& value) -> Result<> {
    COVE_ASSIGN(const std::uint64_t parsed, whole_number(value, 1, std::uint64_t{24} * 3'600'000));
    config.*member = milliseconds(parsed);
    return {};
  };
}

Setter duration(milliseconds ServerConfig::* member) {
  return [=](ServerConfig& config, const std::string& value) -> Result<> {
    COVE_ASSIGN(config.*member, parse_duration(value));
    return {};
  };
}

Setter size(Bytes ServerConfig::* member, Bytes low) {
  return [=](ServerConfig& config, const std::string& value) -> Result<> {
    COVE_ASSIGN(config.*member, parse_size(value));
    if (config.*member < low) return bad("must be at least " + format_size(low));
    return {};
  };
}

Result<> set_cpus(ServerConfig& config, const std::string& value) {
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), config.max_cpus);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() ||
      !(config.max_cpus > 0 && config.max_cpus <= 1024)) {
    return bad("must be a number above 0, up to 1024, got " + quoted(value));
  }
  return {};
}

Setter flag(bool ServerConfig::* member) {
  return [=](ServerConfig& config, const std::string& value) -> Result<> {
    if (value != "true" && value != "false") {
      return bad("must be true or false, got " + quoted(value));
    }
    config.*member = value == "true";
    return {};
  };
}

Result<> set_mode(ServerConfig& config, const std::string& value) {
  unsigned mode = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), mode, 8);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || mode > 0777) {
    return bad("must be an octal mode such as 0660, got " + quoted(value));
  }
  config.unix_mode = mode;
  return {};
}

Result<> set_isolation(ServerConfig& config, const std::string& value) {
  if (value != "namespaces" && value != "landlock") {
    return bad("must be namespaces or landlock, got " + quoted(value));
  }
  config.isolation = value;
  return {};
}

ConfigKey key(std::string_view name, std::string_view default_text, std::string_view about,
              Setter set, std::vector<std::string> variables = {}) {
  if (variables.empty()) {
    std::string variable = "COVE_SERVE_";
    for (const char c : name) {
      variable.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
    }
    variables.push_back(std::move(variable));
  }
  return {name, std::move(variables), default_text, about, false, false, std::move(set)};
}

using C = ServerConfig;

std::vector<ConfigKey> access_keys() {
  return {
      key("listen", "127.0.0.1:8700", "addresses, separated by commas: HOST:PORT or unix:PATH",
          list(&C::listen)),
      key("unix_mode", "0660", "mode of a unix socket's file", set_mode),
      key("tls_certificate", "",
          "PEM file with the certificate and its chain; with tls_key, TCP is TLS only",
          text(&C::tls_certificate)),
      key("tls_key", "", "PEM file with the certificate's key", text(&C::tls_key)),
      key("environment", "production", "development, dev, local and test start without a key",
          text(&C::environment), {"SANDBOX_EXECUTOR_ENVIRONMENT", "ENVIRONMENT"}),
      key("api_key", "", "the single key, with all rights; more keys: `cove keys`",
          text(&C::api_key), {"SANDBOX_EXECUTOR_SERVICE_API_KEY"}),
      key("keys_file", "", "file of named keys; empty: keys.json in data_dir", text(&C::keys_file)),
      key("data_dir", "",
          "history, audit log, kept files, keys; empty: history in memory, no audit log",
          text(&C::data_dir)),
      key("log", "stderr", "JSON-lines log: stderr, off, or a file to append to", text(&C::log)),
  };
}

std::vector<ConfigKey> run_keys() {
  return {
      key("default_timeout_ms", "30000",
          "of an execution that names none, unless its policy has a time other than 30 s; at most "
          "max_timeout_ms",
          count_of_ms(&C::default_timeout), {"SANDBOX_EXECUTOR_DEFAULT_TIMEOUT_MS"}),
      key("max_timeout_ms", "60000", "longer ones are clamped to this",
          count_of_ms(&C::max_timeout), {"SANDBOX_EXECUTOR_MAX_TIMEOUT_MS"}),
      key("max_compile_ms", "180000",
          "the longest that all steps of compiling a program take together, which have limits of "
          "their own; longer ones are clamped to this",
          count_of_ms(&C::max_compile)),
      key("max_concurrent_jobs", "4", "executions and cells of sessions that run at once",
          number(&C::max_concurrent_jobs, 1, 4096), {"SANDBOX_EXECUTOR_MAX_CONCURRENT_JOBS"}),
      key("max_queue", "64",
          "executions and cells that wait, over all callers, and calls that wait for one session; "
          "past it: 429",
          number(&C::max_queue, 0, 1'000'000)),
      key("isolation", "namespaces", "level of the native sandbox: namespaces or landlock",
          set_isolation),
      key("policy", "strict", "the policy of a request that names none", text(&C::policy)),
      key("policies", "strict,strict_js,strict_rust,data_analysis",
          "the presets that a request may name; of the default ones, those that can be enforced "
          "here",
          list(&C::policies)),
      key("policy_files", "",
          "TOML files, or directories of them, with more presets; name them in policies, too",
          list(&C::policy_files)),
      key("custom_policies", "false",
          "whether a request may bring a policy of its own; it could open host paths",
          flag(&C::custom_policies)),
      key("max_memory", "2g", "the most memory that a run gets; asking for more is refused",
          size(&C::max_memory, Bytes::mib(1))),
      key("max_cpus", "4", "the most processors that a run gets", set_cpus),
      key("max_processes", "512", "the most processes that a run gets",
          number(&C::max_processes, 1, 4'194'304)),
      key("max_disk", "1g", "the most room in its directories that a run gets",
          size(&C::max_disk, Bytes::mib(1))),
      key("max_output", "16m", "the largest stdout or stderr that a run gets",
          size(&C::max_output, Bytes::kib(1))),
      key("pool_size", "4", "warm guests that wait, a language", number(&C::pool_size, 0, 1024)),
      key("pool_languages", "python",
          "languages warmed at start; others after their first run; what cannot be, or an image "
          "has not, is run cold, with a warning",
          list(&C::pool_languages)),
      key("profile_files", "",
          "language profiles of your own (TOML files, or directories of them), beside those that "
          "Cove has",
          list(&C::profile_files)),
  };
}

std::vector<ConfigKey> backend_keys() {
  return {
      key("backends", "native",
          "what a request may name as its backend: native (always, and that of requests that name "
          "none), container, docker, image:NAME of a stored image; local only in development",
          list(&C::backends)),
      key("container_engine", "",
          "of the backend container: docker, podman or a path; empty: what answers",
          text(&C::container_engine)),
      key("container_image", "",
          "the image of the backends container and docker; empty: the language's, python:3.12-slim",
          text(&C::container_image)),
      key("container_runtime", "",
          "of the backends container and docker: runsc, …; empty: the engine's",
          text(&C::container_runtime)),
      key("container_pool_size", "0",
          "of the backend container: containers that wait, for each of pool_languages",
          number(&C::container_pool_size, 0, 1024)),
      key("docker_host", "",
          "of the backend docker: unix:///PATH or tcp://HOST:PORT; empty: DOCKER_HOST, else "
          "the usual socket",
          text(&C::docker_host)),
  };
}

std::vector<ConfigKey> keeping_keys() {
  return {
      key("max_sessions", "32", "live sessions, checkpoints included; 0: none",
          number(&C::max_sessions, 0, 65536)),
      key("session_idle_timeout", "10m", "a session that is idle for so long ends",
          duration(&C::session_idle_timeout)),
      key("session_max_idle_timeout", "24h", "the longest idle timeout that a session may ask for",
          duration(&C::session_max_idle_timeout)),
      key("session_interrupt_grace", "2s",
          "between the interrupt of a cell that is out of time and its killing",
          duration(&C::session_interrupt_grace)),
      key("history_age", "168h", "executions stay in the history for so long",
          duration(&C::history_age)),
      key("history_size", "256m", "the history's size; the oldest go first",
          size(&C::history_size, Bytes::mib(1))),
      key("file_age", "1h", "output files can be fetched for so long", duration(&C::file_age)),
      key("file_size", "256m", "of all kept output files; the oldest go first",
          size(&C::file_size, Bytes::kib(1))),
  };
}

std::vector<ConfigKey> connection_keys() {
  return {
      key("max_connections", "1024", "open connections; past it: 503",
          number(&C::max_connections, 1, 1'000'000)),
      key("io_threads", "1",
          "threads that read and write connections; one is enough for thousands of requests a "
          "second",
          number(&C::io_threads, 1, 256)),
      key("worker_threads", "48",
          "threads for calls that take time: one cell of each session at most, large requests, "
          "files; have more than max_sessions",
          number(&C::worker_threads, 1, 4096)),
      key("max_header", "16k", "a request's head", size(&C::max_header, Bytes::kib(1))),
      key("max_body", "128m", "a request's body", size(&C::max_body, Bytes::kib(1))),
      key("max_bodies", "512m", "bodies held at once, over all connections; past it: 503",
          size(&C::max_bodies, Bytes::kib(1))),
      key("max_message", "16m", "one WebSocket message", size(&C::max_message, Bytes::kib(1))),
      key("stream_buffer", "1m",
          "output of one stream that a slow reader has not taken; past it output events are "
          "dropped",
          size(&C::stream_buffer, Bytes::kib(4))),
      key("stream_keep_alive", "15s",
          "a comment line in an SSE stream after so long a silence, so that proxies do not cut it; "
          "0s: none",
          duration(&C::stream_keep_alive)),
      key("idle_timeout", "60s", "a connection without a request ends", duration(&C::idle_timeout)),
      key("header_timeout", "10s", "for a request's head to arrive", duration(&C::header_timeout)),
      key("body_timeout", "60s", "for a request's body to arrive", duration(&C::body_timeout)),
      key("write_timeout", "30s", "for a client to take an answer; then its job is cancelled",
          duration(&C::write_timeout)),
      key("shutdown_grace", "20s",
          "on SIGTERM, for running executions to end before they are cancelled",
          duration(&C::shutdown_grace)),
      key("shutdown_delay", "0s",
          "on SIGTERM, to go on answering at least, so that a balancer sees /readyz say 503",
          duration(&C::shutdown_delay)),
  };
}

std::vector<ConfigKey> make_keys() {
  std::vector<ConfigKey> keys;
  for (auto part : {access_keys(), run_keys(), backend_keys(), keeping_keys(), connection_keys()}) {
    std::ranges::move(part, std::back_inserter(keys));
  }
  for (ConfigKey& each : keys) {
    each.secret = each.name == "api_key";
    constexpr std::array<std::string_view, 6> kLists{
        "listen", "backends", "policies", "policy_files", "profile_files", "pool_languages"};
    each.list = std::ranges::find(kLists, each.name) != kLists.end();
  }
  return keys;
}

}  // namespace

std::string ConfigKey::flag() const {
  std::string out = "--" + std::string(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = make_keys();
  return keys;
}

std::string config_keys_markdown() {
  std::string out = "| Key | Default | Environment | What it is |\n|---|---|---|---|\n";
  for (const ConfigKey& each : config_keys()) {
    const std::string shown =
        each.default_text.empty() ? "(empty)" : fmt::format("`{}`", each.default_text);
    out += fmt::format("| `{}` | {} | `{}` | {} |\n", each.name, shown,
                       fmt::join(each.variables, "`, else `"), each.about);
  }
  return out;
}

}  // namespace cove
