#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove session new|exec|fork|…`: stateful sessions of a server.
void add_session_command(CLI::App& app, int& exit_code);

}  // namespace cove
