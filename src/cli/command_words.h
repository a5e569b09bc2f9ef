#pragma once
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class ParseError;
}  // namespace CLI

namespace cove {

// `cove help` is `cove --help`, and `cove help run` is `cove run --help`.
void turn_help_into_option(std::vector<std::string>& words);

// What is wrong with the first words, if they lead to no command: names the word and lists what
// there is. Empty: they do, or ask for help.
std::string wrong_command(CLI::App& app, const std::vector<std::string>& words);

// An error of the parser in words that help: what was not expected, and where it would belong.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace cove
