#include "net/keys_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/offered_policies.h"
#include "base/json.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/console.h"
#include "cli/installation.h"
#include "engine/key_ring.h"
#include "engine/private_file.h"
#include "engine/rfc3339.h"
#include "net/config_options.h"
#include "net/text_table.h"

namespace cove {

namespace {

struct KeysOptions {
  std::string name;
  std::vector<std::string> scopes{"execute", "sessions"};
  KeyInfo key;
  bool json = false;
  std::shared_ptr<ConfigOptions> config;
};

constexpr std::array<std::pair<std::string_view, Scope>, 4> kScopes{{{"execute", Scope::Execute},
                                                                     {"sessions", Scope::Sessions},
                                                                     {"metrics", Scope::Metrics},
                                                                     {"admin", Scope::Admin}}};

std::vector<std::string> names_of(const std::set<Scope>& scopes) {
  std::vector<std::string> out;
  for (const auto& [name, scope] : kScopes) {
    if (scopes.contains(scope)) out.emplace_back(name);
  }
  return out;
}

// To read keys of a directory that is not there would show none, and hide the mistake.
Result<> check_data_directory(const ServerConfig& config) {
  if (!config.keys_file.empty()) return {};
  std::error_code ignored;
  if (std::filesystem::is_directory(config.data_dir, ignored)) return {};
  return Err(Error::invalid_field("data_dir", "there is no directory " + quoted(config.data_dir)));
}

Result<std::unique_ptr<KeyRing>> open_ring(const KeysOptions& options) {
  COVE_ASSIGN(const LoadedConfig loaded, options.config->load());
  const std::string path = loaded.config.key_file_path();
  if (path.empty()) {
    return Err(Error(ErrorCode::InvalidRequest,
                     "which keys? Name the server's directory with --data-dir DIR, or a file of "
                     "keys with --keys-file FILE"));
  }
  COVE_TRY(check_data_directory(loaded.config));
  return KeyRing::open(path, "");
}

// A first key may be made before the server's first start, which would make its directory.
Result<> make_key_directory(const KeysOptions& options) {
  COVE_ASSIGN(const LoadedConfig loaded, options.config->load());
  const ServerConfig& config = loaded.config;
  if (!config.keys_file.empty()) {
    std::error_code ignored;
    const std::string directory = directory_of(config.keys_file);
    if (std::filesystem::is_directory(directory, ignored)) return {};
    return Err(Error::invalid_field(
        "keys_file", "must be in a directory that exists; there is no " + quoted(directory)));
  }
  if (config.data_dir.empty()) return {};
  const auto made = make_private_directory(config.data_dir);
  if (made) return {};
  return Err(Error::invalid_field("data_dir", "cannot be used: " + made.error().message()));
}

// A key that is limited to what does not exist would be refused everywhere, without a hint why.
// Languages are stored by their own names, not by an alias.
Result<> check_names(const ServerConfig& config, CallerLimits& limits) {
  for (const std::string& name : limits.backends) {
    if (is_backend_name(name)) continue;
    return Err(Error::invalid_field(
        "backends",
        "must be of native, local, container, docker and image:NAME, got " + quoted(name)));
  }
  if (limits.policies.empty() && limits.languages.empty()) return {};
  COVE_ASSIGN(Installation installation, load_installation());
  COVE_TRY(add_operator_files(config, installation.catalog, installation.presets));
  constexpr std::string_view kHint = " (what a server's settings add needs its --config here)";
  for (const std::string& name : limits.policies) {
    if (name == "custom" || installation.presets.find(name)) continue;
    return Err(Error::invalid_field(
        "policies", fmt::format("there is no policy {}; there are {}, custom{}", quoted(name),
                                join(installation.presets.names(), ", "), kHint)));
  }
  for (std::string& name : limits.languages) {
    const LanguageProfile* const profile = installation.catalog.find_profile(name);
    if (profile == nullptr) {
      std::vector<std::string> known;
      for (const LanguageProfile& each : installation.catalog.profiles()) {
        known.push_back(each.name);
      }
      return Err(
          Error::invalid_field("languages", fmt::format("there is no language {}; there are {}{}",
                                                        quoted(name), join(known, ", "), kHint)));
    }
    name = profile->name;
  }
  return {};
}

Result<int> add(const KeysOptions& options) {
  KeyInfo key = options.key;
  key.name = options.name;
  for (const std::string& name : options.scopes) {
    const auto found = std::ranges::find(kScopes, std::string_view(name),
                                         &std::pair<std::string_view, Scope>::first);
    if (found == kScopes.end()) {
      return Err(Error::invalid_field(
          "scope", "must be execute, sessions, metrics or admin, got " + quoted(name)));
    }
    key.scopes.insert(found->second);
  }
  COVE_ASSIGN(const LoadedConfig loaded, options.config->load());
  COVE_TRY(check_names(loaded.config, key.limits));
  COVE_TRY(make_key_directory(options));
  COVE_ASSIGN(const auto ring, open_ring(options));
  COVE_ASSIGN(const std::string secret, ring->add(key));
  if (options.json) {
    (void)write_fully(STDOUT_FILENO,
                      write_json(json::object{{"name", key.name}, {"key", secret}}) + "\n");
  } else {
    (void)write_fully(STDOUT_FILENO, secret + "\n");
    say("this is the key; it is shown once and stored only as a hash");
  }
  return 0;
}

json::object encode(const KeyInfo& key) {
  return {{"name", key.name},
          {"scopes", json::value_from(names_of(key.scopes))},
          {"concurrency", key.limits.concurrency},
          {"rate", key.limits.rate},
          {"policies", json::value_from(key.limits.policies)},
          {"languages", json::value_from(key.limits.languages)},
          {"backends", json::value_from(key.limits.backends)},
          {"created", format_rfc3339(key.created)}};
}

std::string or_any(const std::vector<std::string>& names) {
  return names.empty() ? "any" : join(names, ",");
}

Result<int> list(const KeysOptions& options) {
  COVE_ASSIGN(const auto ring, open_ring(options));
  if (const auto problem = ring->problem()) return Err(*problem);
  json::array array;
  std::vector<std::vector<std::string>> rows{
      {"NAME", "SCOPES", "CONCURRENCY", "RATE", "POLICIES", "LANGUAGES", "BACKENDS", "CREATED"}};
  for (const KeyInfo& key : ring->list()) {
    if (options.json) {
      array.push_back(encode(key));
      continue;
    }
    rows.push_back({key.name, join(names_of(key.scopes), ","),
                    key.limits.concurrency == 0 ? "any" : std::to_string(key.limits.concurrency),
                    key.limits.rate == 0 ? "any" : fmt::format("{}/s", key.limits.rate),
                    or_any(key.limits.policies), or_any(key.limits.languages),
                    or_any(key.limits.backends), format_rfc3339(key.created)});
  }
  const std::string text =
      options.json ? write_json(json::object{{"keys", std::move(array)}}) + "\n" : text_table(rows);
  (void)write_fully(STDOUT_FILENO, text);
  return 0;
}

Result<int> revoke(const KeysOptions& options) {
  COVE_ASSIGN(const auto ring, open_ring(options));
  COVE_TRY(ring->revoke(options.name));
  if (options.json) {
    (void)write_fully(STDOUT_FILENO, write_json(json::object{{"revoked", options.name}}) + "\n");
    return 0;
  }
  say("revoked " + quoted(options.name) + "; a running server stops accepting it at once");
  return 0;
}

using Action = Result<int> (*)(const KeysOptions&);

void set_up_action(CLI::App* command, Action action, const std::shared_ptr<KeysOptions>& options,
                   int& exit_code) {
  options->config = add_config_options(*command, {"data_dir", "keys_file"});
  options->config->own = {{"name", "NAME"},
                          {"scope", "--scope"},
                          {"scopes", "--scope"},
                          {"concurrency", "--concurrency"},
                          {"rate", "--rate"},
                          {"policies", "--policies"},
                          {"languages", "--languages"},
                          {"backends", "--backends"}};
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, action, &exit_code] {
    const auto done = action(*options);
    exit_code = done ? *done : options->config->report(done.error(), options->json);
  });
}

}  // namespace

void add_keys_command(CLI::App& app, int& exit_code) {
  CLI::App* const keys = app.add_subcommand("keys", "The keys of a server");
  keys->require_subcommand(1);
  const auto fresh = [] { return std::make_shared<KeysOptions>(); };

  const auto adding = fresh();
  CLI::App* const command = keys->add_subcommand("add", "Make a key and show it, once");
  set_up_action(command, add, adding, exit_code);
  command->add_option("NAME", adding->name, "What it is called in logs")->required();
  command
      ->add_option("--scope", adding->scopes,
                   "execute, sessions, metrics, admin [execute,sessions]")
      ->delimiter(',');
  command->add_option("--concurrency", adding->key.limits.concurrency, "Jobs that run at once");
  command->add_option("--rate", adding->key.limits.rate, "Submissions a second");
  command->add_option("--policies", adding->key.limits.policies, "Only these presets")
      ->delimiter(',');
  command->add_option("--languages", adding->key.limits.languages, "Only these languages")
      ->delimiter(',');
  command->add_option("--backends", adding->key.limits.backends, "Only these backends")
      ->delimiter(',');

  set_up_action(keys->add_subcommand("list", "Names, scopes and limits"), list, fresh(), exit_code);

  const auto revoking = fresh();
  CLI::App* const revoke_command = keys->add_subcommand("revoke", "Make a key useless");
  set_up_action(revoke_command, revoke, revoking, exit_code);
  revoke_command->add_option("NAME", revoking->name, "Which")->required();
}

}  // namespace cove
