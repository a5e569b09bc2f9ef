#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove top`: a live view of a server; one look when stdout is no terminal.
void add_top_command(CLI::App& app, int& exit_code);

}  // namespace cove
