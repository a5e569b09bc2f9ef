#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/server_flags.h"
#include "client/client.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// Which server a subcommand speaks to, and as whom: the flags; else COVE_SERVER and COVE_API_KEY;
// else a server on this machine without a key.
struct ServerOptions : ServerFlags {
  std::string address() const;
  Result<Client> connect() const;
  // What an error of the client means to who typed the command: which option gives the key, how to
  // start a server where none answers.
  Error explain(const Error& error) const;
};

std::shared_ptr<ServerOptions> add_server_options(CLI::App& command);

}  // namespace cove
