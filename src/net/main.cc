// The `cove-net` command: the subcommands that need the network, SQLite or OpenSSL. `cove` hands
// over to it, so that `cove run` starts without loading them; nobody types its name.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/version.h"
#include "cli/command_words.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/net_commands.h"
#include "net/audit_command.h"
#include "net/bench_serve_command.h"
#include "net/jobs_commands.h"
#include "net/keys_command.h"
#include "net/remote_run_command.h"
#include "net/serve_command.h"
#include "net/session_command.h"
#include "net/top_command.h"

namespace {

int run_command_line(std::vector<std::string> words) {
  const std::vector<std::string> arguments = cove::split_off_arguments(words);
  const bool as_json = std::ranges::find(words, "--json") != words.end();
  CLI::App app("Cove runs untrusted code, isolated and at once.", "cove");
  app.set_version_flag("--version", "cove " + std::string(cove::kVersion));
  app.require_subcommand(1);
  int exit_code = 0;
  cove::add_serve_command(app, exit_code);
  cove::add_keys_command(app, exit_code);
  cove::add_audit_command(app, exit_code);
  cove::add_remote_run_command(app, arguments, exit_code);
  cove::add_session_command(app, exit_code);
  cove::add_ps_command(app, exit_code);
  cove::add_logs_command(app, exit_code);
  cove::add_top_command(app, exit_code);
  cove::add_bench_serve_command(app, exit_code);

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
