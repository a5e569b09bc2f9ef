#include "net/audit_command.h"

#include <unistd.h>

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/write_json.h"
#include "cli/console.h"
#include "engine/audit_log.h"
#include "net/config_options.h"

namespace cove {

namespace {

struct AuditOptions {
  std::string file;
  bool json = false;
  std::shared_ptr<ConfigOptions> config;
};

Result<std::string> log_path(const AuditOptions& options) {
  if (!options.file.empty()) return options.file;
  COVE_ASSIGN(const LoadedConfig loaded, options.config->load());
  if (loaded.config.data_dir.empty()) {
    return Err(Error::invalid_field("FILE", "must be given, or --data-dir of the server"));
  }
  return loaded.config.data_dir + "/audit.jsonl";
}

Result<int> verify(const AuditOptions& options) {
  COVE_ASSIGN(const std::string path, log_path(options));
  COVE_ASSIGN(const AuditVerdict verdict, verify_audit_log(path));
  const bool good = verdict.bad_line == 0;
  std::string text;
  if (options.json) {
    json::object out{
        {"good", good}, {"entries", verdict.entries}, {"last_hash", verdict.last_hash}};
    if (!good) {
      out["bad_line"] = verdict.bad_line;
      out["why"] = verdict.why;
    }
    text = write_json(out) + "\n";
  } else if (good) {
    text = fmt::format("good: {} entries, last hash {}\n", verdict.entries, verdict.last_hash);
  } else {
    text = fmt::format("BROKEN at line {}: {} ({} good entries before it, last hash {})\n",
                       verdict.bad_line, verdict.why, verdict.entries, verdict.last_hash);
  }
  (void)write_fully(STDOUT_FILENO, text);
  return good ? 0 : 1;
}

}  // namespace

void add_audit_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("audit", "Check a server's audit log");
  command->require_subcommand(1);
  CLI::App* const check =
      command->add_subcommand("verify", "Check that no line was changed, removed or inserted");
  const auto options = std::make_shared<AuditOptions>();
  options->config = add_config_options(*check, {"data_dir"});
  check->add_option("FILE", options->file, "The log (default: that of the data directory)");
  check->add_flag("--json", options->json, "Print one JSON object");
  check->callback([options, &exit_code] {
    const auto done = verify(*options);
    exit_code = done ? *done : options->config->report(done.error(), options->json);
  });
}

}  // namespace cove
