#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove tool … --server URL`.
void add_remote_tool_command(CLI::App& app, int& exit_code);

}  // namespace cove
