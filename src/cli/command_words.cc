#include "cli/command_words.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/closest_name.h"
#include "base/strings.h"

namespace cove {

namespace {

std::vector<std::string> names_of(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// "; did you mean --memory?" for an option that there is not; options that the help does not show
// are not proposed.
std::string meant_option(const CLI::App& command, std::string_view wrong) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return did_you_mean(wrong.substr(0, wrong.find('=')), names);
}

}  // namespace

void turn_help_into_option(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") return;
  words.erase(words.begin());
  words.emplace_back("--help");
}

std::string wrong_command(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* level = &app;
  std::string so_far = "cove";
  for (std::size_t i = 0;; ++i) {
    const auto commands = level->get_subcommands([](CLI::App*) { return true; });
    if (commands.empty() || level->get_require_subcommand_min() == 0) return "";
    if (i == words.size()) {
      return fmt::format("{} needs a command: {} (see {} --help)", so_far,
                         join(names_of(commands), ", "), so_far);
    }
    const std::string& word = words[i];
    if (word.starts_with('-')) {
      if (level->get_option_no_throw(word) != nullptr) return "";
      return fmt::format("{} has no option {}; its commands are {} (see {} --help)", so_far,
                         quoted(word), join(names_of(commands), ", "), so_far);
    }
    const auto found = std::ranges::find_if(
        commands, [&](const CLI::App* command) { return command->check_name(word); });
    if (found == commands.end()) {
      const std::vector<std::string> names = names_of(commands);
      return fmt::format("{} has no command {}{}; there are {} (see {} --help)", so_far,
                         quoted(word), did_you_mean(word, names), join(names, ", "), so_far);
    }
    level = *found;
    so_far += " " + word;
  }
}

std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "cove";
  const CLI::App* level = &app;
  while (!level->get_subcommands().empty()) {
    level = level->get_subcommands().front();
    command += " " + level->get_name();
  }
  const std::vector<std::string> rest = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || rest.empty()) {
    return fmt::format("{} (see {} --help)", error.what(), command);
  }
  const bool takes_arguments = command == "cove run";
  if (rest.front().starts_with('-')) {
    return fmt::format("{} has no option {}{}{} (see {} --help)", command, quoted(rest.front()),
                       meant_option(*level, rest.front()),
                       takes_arguments ? "; options of the program go after --" : "", command);
  }
  return fmt::format("{} does not expect {}{} (see {} --help)", command, quoted(rest.front()),
                     takes_arguments ? "; arguments of the program go after --" : "", command);
}

}  // namespace cove
