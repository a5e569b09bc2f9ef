#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/client.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// Which server a subcommand speaks to, and as whom: --server, --key, --ca-file, --insecure; else
// COVE_SERVER and COVE_API_KEY; else a server on this machine without a key.
struct ServerOptions {
  std::optional<std::string> url;
  std::optional<std::string> key;
  std::string ca_file;
  bool insecure = false;

  std::string address() const;
  Result<Client> connect() const;
};

std::shared_ptr<ServerOptions> add_server_options(CLI::App& command);

}  // namespace cove
