// The `cove` command: wires the subcommands.
#include <string>
#include <utility>
#include <vector>

#include "cli/bench_command.h"
#include "cli/command_line.h"
#include "cli/command_words.h"
#include "cli/doctor_command.h"
#include "cli/image_command.h"
#include "cli/languages_command.h"
#include "cli/net_commands.h"
#include "cli/policy_command.h"
#include "cli/run_command.h"
#include "cli/tool_command.h"

int main(int argc, char** argv) {
  return cove::run_main(argc, argv, [](std::vector<std::string> words) {
    cove::turn_help_into_option(words);
    if (const int refused = cove::hand_over_to_net(words); refused >= 0) return refused;
    return cove::run_command_line(
        std::move(words),
        [](CLI::App& app, const std::vector<std::string>& arguments, int& exit_code) {
          cove::add_run_command(app, arguments, exit_code);
          cove::add_doctor_command(app, exit_code);
          cove::add_languages_command(app, exit_code);
          cove::add_policy_command(app, exit_code);
          cove::add_image_command(app, exit_code);
          cove::add_tool_command(app, exit_code);
          cove::add_bench_command(app, exit_code);
          cove::add_net_commands(app);
        });
  });
}
