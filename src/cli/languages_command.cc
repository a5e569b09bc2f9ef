#include "cli/languages_command.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/strings.h"
#include "cli/console.h"
#include "cli/installation.h"
#include "cli/server_flags.h"
#include "runtime/version_probe.h"

namespace cove {

namespace {

struct LanguagesOptions {
  bool json = false;
  std::vector<std::string> profiles;
};

std::string_view warm_name(WarmMode mode) {
  switch (mode) {
    case WarmMode::None:
      return "none";
    case WarmMode::Prepare:
      return "prepare";
    case WarmMode::Spawn:
      return "spawn";
    case WarmMode::Fork:
      return "fork";
  }
  return "none";
}

json::object as_json(const LanguageListing& listing, const std::string& version) {
  json::object object{{"name", listing.profile.name},
                      {"aliases", json::value_from(listing.profile.aliases)},
                      {"usable", listing.runtime.has_value()}};
  if (listing.runtime) {
    object["version"] = sanitize_utf8(version);
    object["interpreter"] = sanitize_utf8(listing.runtime->interpreter);
    object["warm"] = warm_name(listing.runtime->profile.warm);
  } else {
    object["reason"] = sanitize_utf8(listing.reason);
  }
  object["profile"] = sanitize_utf8(listing.profile.source);
  return object;
}

std::string as_line(const LanguageListing& listing, const std::string& version,
                    std::size_t name_width) {
  const std::string name = fmt::format("{:<{}}", listing.profile.name, name_width);
  if (!listing.runtime) {
    return fmt::format("{}  {}  {}\n", tinted(name, Tint::Quiet, STDOUT_FILENO),
                       tinted("not usable", Tint::Bad, STDOUT_FILENO), listing.reason);
  }
  std::string line =
      fmt::format("{}  {}  {}  {}, warm: {}", tinted(name, Tint::Strong, STDOUT_FILENO),
                  tinted("ok        ", Tint::Good, STDOUT_FILENO), version,
                  listing.runtime->interpreter, warm_name(listing.runtime->profile.warm));
  if (!listing.profile.aliases.empty()) {
    line += fmt::format(" (also: {})", join(listing.profile.aliases, ", "));
  }
  return line + "\n";
}

Result<int> list_languages(const LanguagesOptions& options) {
  COVE_ASSIGN(Installation installation, load_installation());
  for (const std::string& file : options.profiles) {
    COVE_TRY(installation.catalog.add_profile_file(file));
  }
  const std::vector<LanguageListing> listings = installation.catalog.list();
  std::size_t width = 0;
  for (const LanguageListing& listing : listings) {
    width = std::max(width, listing.profile.name.size());
  }
  json::array array;
  std::string text;
  for (const LanguageListing& listing : listings) {
    std::string version;
    if (listing.runtime) {
      const auto probed = probe_version(*listing.runtime);
      version = probed ? *probed : "version unknown: " + probed.error().message();
    }
    if (options.json) {
      array.push_back(as_json(listing, version));
    } else {
      text += as_line(listing, version, width);
    }
  }
  if (options.json) text = json::serialize(json::object{{"languages", std::move(array)}}) + "\n";
  (void)write_fully(STDOUT_FILENO, text);
  return 0;
}

}  // namespace

void add_languages_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("languages", "List the languages usable here");
  const auto options = std::make_shared<LanguagesOptions>();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->add_option("--profile", options->profiles, "Also a language profile of your own (TOML)")
      ->allow_extra_args(false);
  const auto server = std::make_shared<ServerFlags>();
  add_server_flags(*command, *server, ": the languages of a server");
  command->callback([options, server, command, &exit_code] {
    if (std::string stray = stray_server_flag(*command); !stray.empty()) {
      exit_code = report_error(Error(ErrorCode::InvalidRequest, std::move(stray)), options->json);
      return;
    }
    const auto done = list_languages(*options);
    exit_code = done ? *done : report_error(done.error(), options->json);
  });
}

}  // namespace cove
