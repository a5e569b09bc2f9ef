#pragma once
#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}  // namespace CLI

namespace cove {

// Adds the subcommands to `app`. `arguments` are the words after `--`; a subcommand's callback sets
// `exit_code`.
using AddCommands =
    std::function<void(CLI::App& app, const std::vector<std::string>& arguments, int& exit_code)>;

// The whole of a command: splits off the program's own arguments, parses the words, runs the
// subcommand that they name, and turns every end into an exit code.
int run_command_line(std::vector<std::string> words, const AddCommands& add_commands);

// The same from main(), where what nobody foresaw ends, too.
int run_main(int argc, char** argv, const std::function<int(std::vector<std::string>)>& run);

}  // namespace cove
