#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/http_transport.h"
#include "http/server_url.h"

namespace cove {

// Where a Docker engine answers, and how to prove who calls.
struct DockerHost {
  std::string text;  // as it was given, for messages: "unix:///var/run/docker.sock"
  ServerUrl url;
  TransportOptions transport;
};

using VariableLookup = std::function<std::optional<std::string>(const char* name)>;

// `address` is "unix:///PATH" or "tcp://HOST[:PORT]"; empty: DOCKER_HOST, and without that the
// socket at its usual place. For TCP the variables of Docker's own command count: with
// DOCKER_TLS_VERIFY (not empty) the connection is TLS, both sides show certificates (ca.pem,
// cert.pem and key.pem in DOCKER_CERT_PATH, else in ~/.docker), and the port is 2376 unless it is
// given; without it 2375.
Result<DockerHost> find_docker_host(std::string_view address = {});
// The same with another environment.
Result<DockerHost> find_docker_host(std::string_view address, const VariableLookup& variable);

}  // namespace cove
