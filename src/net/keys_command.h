#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove keys add|list|revoke`: the keys of a server.
void add_keys_command(CLI::App& app, int& exit_code);

}  // namespace cove
