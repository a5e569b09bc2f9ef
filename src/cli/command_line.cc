#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/version.h"
#include "cli/command_words.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/net_commands.h"

namespace cove {

int run_command_line(std::vector<std::string> words, const AddCommands& add_commands) {
  const std::vector<std::string> arguments = split_off_arguments(words);
  const bool as_json = std::ranges::find(words, "--json") != words.end();

  CLI::App app("Cove runs untrusted code, isolated and at once.", "cove");
  app.set_version_flag("--version", "cove " + std::string(kVersion));
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, arguments, exit_code);

  // Before any command's own callback.
  app.parse_complete_callback([&app, &arguments] {
    const auto commands = app.get_subcommands();
    if (arguments.empty() || commands.empty() || commands.front()->get_name() == "run") return;
    throw CLI::ValidationError("words after --", "only `cove run` takes them, not `cove " +
                                                     commands.front()->get_name() + "`");
  });

  const auto refuse = [as_json](std::string problem) {
    return report_error(Error(ErrorCode::InvalidRequest, std::move(problem)), as_json);
  };
  if (std::string wrong = wrong_command(app, words); !wrong.empty()) {
    return refuse(std::move(wrong));
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return refuse(explain_parse_error(app, error));
  }
  return exit_code;
}

int run_main(int argc, char** argv, const std::function<int(std::vector<std::string>)>& run) {
  try {
    return run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& bug) {  // out of memory, say
    std::fprintf(stderr, "cove: internal error: %s\n", bug.what());
    return kExitRefused;
  }
}

}  // namespace cove
