#pragma once
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// Which server a subcommand speaks to, and as whom, as given.
struct ServerFlags {
  std::optional<std::string> url;
  std::optional<std::string> key;
  std::string ca_file;
  bool insecure = false;
};

// --server, --key, --ca-file, --insecure, in a group of their own in the help. `absent` is what
// --server is when it is not given: the default of commands that are about servers only.
void add_server_flags(CLI::App& command, ServerFlags& flags, const std::string& absent);

// What is wrong when one of them was given without --server to a command that works here, too; else
// empty.
std::string stray_server_flag(const CLI::App& command);

}  // namespace cove
