#include "net/server_options.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/console.h"
#include "cli/read_input.h"
#include "http/http_transport.h"
#include "http/server_url.h"

namespace cove {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// @FILE keeps a key out of the list of processes.
Result<std::string> read_key(const std::string& text) {
  if (!text.starts_with('@')) return text;
  auto content = read_input(text.substr(1), Bytes::kib(4));
  if (!content) return Err(std::move(content).error().with_context("--key"));
  return std::string(trim(*content));
}

}  // namespace

std::string ServerOptions::address() const {
  if (url) return *url;
  const std::string from_environment = variable("COVE_SERVER");
  return from_environment.empty() ? ClientOptions().url : from_environment;
}

Result<Client> ServerOptions::connect() const {
  ClientOptions options;
  options.url = address();
  COVE_ASSIGN(options.key, read_key(key.value_or(variable("COVE_API_KEY"))));
  options.ca_file = ca_file;
  options.verify_certificate = !insecure;
  COVE_ASSIGN(const ServerUrl parsed, parse_server_url(options.url));
  if (!parsed.tls && (!ca_file.empty() || insecure)) {
    return Err(Error(ErrorCode::InvalidRequest, std::string(insecure ? "--insecure" : "--ca-file") +
                                                    " is for https addresses only"));
  }
  if (!options.key.empty() && !parsed.tls && !parsed.is_local()) {
    say("the key crosses the network unencrypted; use https");
  }
  return Client::connect(std::move(options));
}

Error ServerOptions::explain(const Error& error) const {
  const std::string where = escape_file_name(address());
  if (error.code() == ErrorCode::Unauthorized) {
    const std::string from = key ? "--key" : "COVE_API_KEY";
    if (key.value_or(variable("COVE_API_KEY")).empty()) {
      return {error.code(), fmt::format("the server at {} needs a key: give it with --key KEY, "
                                        "--key @FILE or the variable COVE_API_KEY",
                                        where)};
    }
    return {error.code(), fmt::format("the server at {} does not know the key of {}", where, from)};
  }
  if (error.code() != ErrorCode::BackendUnavailable || !error.message().starts_with(kConnecting)) {
    return error;
  }
  const std::string& message = error.message();
  const std::size_t cause = message.rfind(": ");
  const auto parsed = parse_server_url(address());
  return {
      error.code(),
      fmt::format("no server answers at {} ({}): {}name another with --server URL", where,
                  cause == std::string::npos ? message : message.substr(cause + 2),
                  parsed && parsed->is_local() ? "start one with `cove serve --dev`, or " : "")};
}

std::shared_ptr<ServerOptions> add_server_options(CLI::App& command) {
  auto options = std::make_shared<ServerOptions>();
  add_server_flags(command, *options, " [COVE_SERVER, else http://127.0.0.1:8700]");
  return options;
}

}  // namespace cove
