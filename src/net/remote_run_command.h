#pragma once
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove run --server URL`: as `cove run`, on a server. `args` are the words after `--`.
void add_remote_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code);

}  // namespace cove
