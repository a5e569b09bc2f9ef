// The `cove-net` command: the subcommands that need the network, SQLite or OpenSSL. `cove` hands
// over to it, so that `cove run` starts without loading them; nobody types its name.
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "net/audit_command.h"
#include "net/bench_serve_command.h"
#include "net/docker_facts_command.h"
#include "net/jobs_commands.h"
#include "net/keys_command.h"
#include "net/remote_languages_command.h"
#include "net/remote_run_command.h"
#include "net/remote_tool_command.h"
#include "net/serve_command.h"
#include "net/session_command.h"
#include "net/top_command.h"

int main(int argc, char** argv) {
  return cove::run_main(argc, argv, [](std::vector<std::string> words) {
    return cove::run_command_line(
        std::move(words),
        [](CLI::App& app, const std::vector<std::string>& arguments, int& exit_code) {
          cove::add_serve_command(app, exit_code);
          cove::add_keys_command(app, exit_code);
          cove::add_audit_command(app, exit_code);
          cove::add_remote_run_command(app, arguments, exit_code);
          cove::add_remote_languages_command(app, exit_code);
          cove::add_remote_tool_command(app, exit_code);
          cove::add_session_command(app, exit_code);
          cove::add_ps_command(app, exit_code);
          cove::add_logs_command(app, exit_code);
          cove::add_top_command(app, exit_code);
          cove::add_bench_serve_command(app, exit_code);
          cove::add_docker_facts_command(app, exit_code);
          cove::add_bench_docker_command(app, exit_code);
        });
  });
}
