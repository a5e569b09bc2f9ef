#include "api/server_config.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/listen_address.h"
#include "base/strings.h"

namespace cove {

bool ServerConfig::is_development() const {
  constexpr std::array<std::string_view, 4> kNames{"development", "dev", "local", "test"};
  return std::ranges::find(kNames, environment) != kNames.end();
}

std::string ServerConfig::key_file_path() const {
  if (!keys_file.empty()) return keys_file;
  return data_dir.empty() ? std::string() : data_dir + "/keys.json";
}

Limits ServerConfig::most() const {
  Limits out;
  out.memory = max_memory;
  out.cpus = max_cpus;
  out.processes = max_processes;
  out.disk = max_disk;
  out.stdout_bytes = max_output;
  out.stderr_bytes = max_output;
  out.inodes = 1U << 20U;
  out.descriptors = 1U << 16U;
  return out;
}

Result<> check_server_config(const ServerConfig& config, bool has_key) {
  if (config.listen.empty()) {
    return Err(Error::invalid_field("listen", "must name at least one address"));
  }
  if (!has_key && !config.is_development()) {
    return Err(Error::invalid_field(
        "api_key",
        fmt::format("must not be empty in environment {}: set SANDBOX_EXECUTOR_SERVICE_API_KEY, or "
                    "add a key with cove keys add, or start with --dev on your own machine",
                    quoted(config.environment))));
  }
  for (const std::string& text : config.listen) {
    COVE_ASSIGN(const ListenAddress address, parse_listen_address(text));
    if (address.is_loopback() || has_key) continue;
    return Err(Error::invalid_field(
        "listen", text + " is reachable from other machines: that needs a key; without one only "
                         "loopback addresses and unix sockets are allowed"));
  }
  if (config.default_timeout > config.max_timeout) {
    return Err(Error::invalid_field(
        "default_timeout_ms",
        fmt::format("must not be more than max_timeout_ms ({}), got {}", config.max_timeout.count(),
                    config.default_timeout.count())));
  }
  if (config.session_idle_timeout > config.session_max_idle_timeout) {
    return Err(Error::invalid_field("session_idle_timeout",
                                    "must not be longer than session_max_idle_timeout"));
  }
  if (config.tls_certificate.empty() != config.tls_key.empty()) {
    return Err(Error::invalid_field(config.tls_key.empty() ? "tls_key" : "tls_certificate",
                                    "must be given too: TLS needs a certificate and its key"));
  }
  if (std::ranges::find(config.policies, config.policy) == config.policies.end()) {
    return Err(Error::invalid_field("policy", "must be one of " + join(config.policies, ", ") +
                                                  " (the setting policies), got " +
                                                  quoted(config.policy)));
  }
  return {};
}

}  // namespace cove
