#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove serve`: the HTTP server.
void add_serve_command(CLI::App& app, int& exit_code);

}  // namespace cove
