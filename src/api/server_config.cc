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

namespace {

// A setting that nothing reads would let its operator believe that it had an effect.
Result<> check_settings_of_backends(const ServerConfig& config) {
  const auto has = [&config](std::string_view name) {
    return std::ranges::find(config.backends, name) != config.backends.end();
  };
  const bool container = has("container");
  const bool docker = has("docker");
  struct Setting {
    std::string_view name;
    bool used;
    std::string_view of;
  };
  for (const Setting& each :
       {Setting{"container_engine", container, "container"},
        Setting{"container_pool_size", container, "container"},
        Setting{"container_image", container || docker, "container or docker"},
        Setting{"container_runtime", container || docker, "container or docker"},
        Setting{"docker_host", docker, "docker"}}) {
    if (each.used || !config.given.contains(each.name)) continue;
    return Err(Error::invalid_field(
        std::string(each.name),
        fmt::format("is a setting of the backend {}, which the setting backends does not name",
                    each.of)));
  }
  return {};
}

Result<> check_backends(const ServerConfig& config) {
  std::set<std::string_view> seen;
  for (const std::string& name : config.backends) {
    if (!is_backend_name(name)) {
      return Err(Error::invalid_field(
          "backends",
          "must be of native, local, container, docker and image:NAME, got " + quoted(name)));
    }
    if (!seen.insert(name).second) {
      return Err(Error::invalid_field("backends", "names " + quoted(name) + " twice"));
    }
  }
  if (!seen.contains(kNativeBackend)) {
    return Err(Error::invalid_field(
        "backends", "must have native, which runs what names no backend, and sessions"));
  }
  if (seen.contains("local") && !config.is_development()) {
    return Err(Error::invalid_field(
        "backends",
        fmt::format("must not have local in environment {}: it isolates nothing; it is for "
                    "development, dev, local and test",
                    quoted(config.environment))));
  }
  return check_settings_of_backends(config);
}

}  // namespace

bool is_backend_name(std::string_view name) {
  constexpr std::string_view kImage = "image:";
  return name == kNativeBackend || name == "local" || name == "container" || name == "docker" ||
         (name.starts_with(kImage) && name.size() > kImage.size());
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
  return check_backends(config);
}

}  // namespace cove
