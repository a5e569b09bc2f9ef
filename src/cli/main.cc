// The `cove` command: splits off the program's own arguments, wires the subcommands, and turns
// every end into an exit code.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/version.h"
#include "cli/bench_command.h"
#include "cli/command_words.h"
#include "cli/console.h"
#include "cli/doctor_command.h"
#include "cli/exit_code.h"
#include "cli/languages_command.h"
#include "cli/net_commands.h"
#include "cli/policy_command.h"
#include "cli/run_command.h"

namespace {

int run_command_line(std::vector<std::string> words) {
  cove::turn_help_into_option(words);
  if (const int refused = cove::hand_over_to_net(words); refused >= 0) return refused;
  const std::vector<std::string> arguments = cove::split_off_arguments(words);
  const bool as_json = std::ranges::find(words, "--json") != words.end();

  CLI::App app("Cove runs untrusted code, isolated and at once.", "cove");
  app.set_version_flag("--version", "cove " + std::string(cove::kVersion));
  app.require_subcommand(1);
  int exit_code = 0;
  cove::add_run_command(app, arguments, exit_code);
  cove::add_doctor_command(app, exit_code);
  cove::add_languages_command(app, exit_code);
  cove::add_policy_command(app, exit_code);
  cove::add_bench_command(app, exit_code);
  cove::add_net_commands(app);

  // Before any command's own callback.
  app.parse_complete_callback([&app, &arguments] {
    const auto commands = app.get_subcommands();
    if (arguments.empty() || commands.empty() || commands.front()->get_name() == "run") return;
    throw CLI::ValidationError("words after --", "only `cove run` takes them, not `cove " +
                                                     commands.front()->get_name() + "`");
  });

  const auto refuse = [as_json](std::string problem) {
    return cove::report_error(cove::Error(cove::ErrorCode::InvalidRequest, std::move(problem)),
                              as_json);
  };
  if (std::string wrong = cove::wrong_command(app, words); !wrong.empty()) {
    return refuse(std::move(wrong));
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return refuse(cove::explain_parse_error(app, error));
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command_line({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& bug) {  // out of memory, say
    std::fprintf(stderr, "cove: internal error: %s\n", bug.what());
    return cove::kExitRefused;
  }
}
