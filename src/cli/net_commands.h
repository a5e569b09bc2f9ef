#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// The subcommands that live in `cove-net`, listed in `cove --help`. See docs/decisions/014.
void add_net_commands(CLI::App& app);

// Takes the words after `--` away: they belong to the program, whatever they look like.
std::vector<std::string> split_off_arguments(std::vector<std::string>& words);

// If the words ask for one of them, for `run`, `languages` or `tool` with --server, or for `run
// --backend docker`: becomes `cove-net` and does not return, or gives the exit code when that is
// not to be found. Else -1.
int hand_over_to_net(const std::vector<std::string>& words);

// Where `cove-net` is: beside this command (a build tree, a container), or where an installation
// puts it. The error names both places.
Result<std::string> find_net_command();

}  // namespace cove
