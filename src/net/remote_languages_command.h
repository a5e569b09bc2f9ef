#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove languages --server URL`.
void add_remote_languages_command(CLI::App& app, int& exit_code);

}  // namespace cove
