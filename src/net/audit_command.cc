#include "net/audit_command.h"

#include <unistd.h>

#include <cstdint>
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
  std::string expect_hash;
  std::uint64_t min_entries = 0;
  std::shared_ptr<ConfigOptions> config;
};

// What a chain cannot show by itself: entries that were cut off at its end. Whoever noted the last
// hash, or the number of entries, at an earlier time can tell.
void compare_with_notes(const AuditOptions& options, AuditVerdict& verdict) {
  if (verdict.bad_line != 0) return;
  const std::uint64_t behind = verdict.entries + 1;
  if (verdict.entries < options.min_entries) {
    verdict.bad_line = behind;
    verdict.why =
        fmt::format("at least {} entries were expected: the end is missing", options.min_entries);
  } else if (!options.expect_hash.empty() && !verdict.has_expected) {
    verdict.bad_line = behind;
    verdict.why = "no entry has the hash " + options.expect_hash +
                  ": the end is missing, or it is another log";
  }
}

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
  COVE_ASSIGN(AuditVerdict verdict, verify_audit_log(path, options.expect_hash));
  compare_with_notes(options, verdict);
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
    if (options.expect_hash.empty() && options.min_entries == 0) {
      say("whether entries are missing at the end shows only against an earlier note: "
          "--expect-hash HASH or --min-entries N");
    }
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
  CLI::App* const check = command->add_subcommand(
      "verify",
      "Check that no line was changed, removed or inserted; what is cut off at the end "
      "shows only with --expect-hash or --min-entries");
  const auto options = std::make_shared<AuditOptions>();
  options->config = add_config_options(*check, {"data_dir"});
  check->add_option("FILE", options->file, "The log (default: that of the data directory)");
  check->add_option("--expect-hash", options->expect_hash,
                    "The last hash that an earlier check printed: it must be in the log");
  check->add_option("--min-entries", options->min_entries, "There must be at least so many");
  check->add_flag("--json", options->json, "Print one JSON object");
  check->callback([options, &exit_code] {
    const auto done = verify(*options);
    exit_code = done ? *done : options->config->report(done.error(), options->json);
  });
}

}  // namespace cove
