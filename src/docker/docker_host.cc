#include "docker/docker_host.h"

#include <stdlib.h>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

constexpr std::string_view kUsual = "unix:///var/run/docker.sock";
constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kTcp = "tcp://";

Err refuse(std::string_view address, std::string_view problem) {
  return Err(Error(ErrorCode::InvalidRequest,
                   fmt::format("the Docker host {} {}; allowed: unix:///PATH, tcp://HOST:PORT",
                               quoted(address), problem)));
}

// The last colon that is not part of an IPv6 address.
bool has_port(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
}

std::string set_or_empty(const VariableLookup& variable, const char* name) {
  return variable(name).value_or("");
}

Result<> add_certificates(const VariableLookup& variable, TransportOptions& transport) {
  std::string directory = set_or_empty(variable, "DOCKER_CERT_PATH");
  if (directory.empty()) {
    const std::string home = set_or_empty(variable, "HOME");
    if (home.empty()) {
      return Err(Error(ErrorCode::InvalidRequest,
                       "DOCKER_TLS_VERIFY is set, but neither DOCKER_CERT_PATH nor HOME says where "
                       "ca.pem, cert.pem and key.pem are"));
    }
    directory = home + "/.docker";
  }
  transport.ca_file = directory + "/ca.pem";
  transport.certificate_file = directory + "/cert.pem";
  transport.key_file = directory + "/key.pem";
  return {};
}

}  // namespace

Result<DockerHost> find_docker_host(std::string_view address, const VariableLookup& variable) {
  DockerHost host;
  host.text = std::string(address);
  if (host.text.empty()) host.text = set_or_empty(variable, "DOCKER_HOST");
  if (host.text.empty()) host.text = std::string(kUsual);
  const std::string_view text = host.text;
  host.transport.max_body = Bytes::mib(16);
  if (text.starts_with(kUnix)) {
    if (!text.substr(kUnix.size()).starts_with('/')) return refuse(text, "has no absolute path");
    COVE_ASSIGN(host.url, parse_server_url("unix:" + std::string(text.substr(kUnix.size()))));
    return host;
  }
  if (!text.starts_with(kTcp)) return refuse(text, "is of a kind that is not known here");
  const bool tls = !set_or_empty(variable, "DOCKER_TLS_VERIFY").empty();
  std::string authority(text.substr(kTcp.size()));
  if (authority.ends_with('/')) authority.pop_back();
  if (authority.find('@') != std::string::npos) {
    return refuse("tcp://…", "must not hold a user name or a password");
  }
  if (!has_port(authority)) authority += tls ? ":2376" : ":2375";
  auto url = parse_server_url((tls ? "https://" : "http://") + authority);
  if (!url) return refuse(text, "has no proper host and port");
  host.url = std::move(*url);
  if (tls) COVE_TRY(add_certificates(variable, host.transport));
  return host;
}

Result<DockerHost> find_docker_host(std::string_view address) {
  return find_docker_host(address, [](const char* name) -> std::optional<std::string> {
    const char* const value = ::secure_getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace cove
