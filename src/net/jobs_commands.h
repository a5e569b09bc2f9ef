#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove ps`: what a server runs. `cove logs ID`: what an execution has written.
void add_ps_command(CLI::App& app, int& exit_code);
void add_logs_command(CLI::App& app, int& exit_code);

}  // namespace cove
