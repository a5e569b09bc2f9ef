#include "net/config_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/config_keys.h"
#include "base/strings.h"
#include "cli/console.h"

namespace cove {

Result<LoadedConfig> ConfigOptions::load() const {
  ConfigSources sources;
  sources.file = file;
  sources.environment = process_environment();
  sources.flags = flags;
  sources.dev = dev;
  return load_config(sources);
}

int ConfigOptions::report(const Error& error, bool as_json) const {
  if (as_json || error.field().empty()) return report_error(error, as_json);
  std::string message = error.message();
  const std::string mark = fmt::format("field \"{}\"", error.field());
  if (message.starts_with(mark)) message.replace(0, mark.size(), typed_name(error.field()));
  return report_error(Error(error.code(), std::move(message)), false);
}

std::string ConfigOptions::typed_name(const std::string& field) const {
  if (field == "config") return "--config";
  if (const auto word = own.find(field); word != own.end()) return word->second;
  const auto key = std::ranges::find(config_keys(), field, &ConfigKey::name);
  if (key == config_keys().end()) return field;  // no setting at all: as it was written
  return flags.contains(field) ? key->flag() : "the setting " + field;
}

std::shared_ptr<ConfigOptions> add_config_options(CLI::App& command,
                                                  const std::vector<std::string_view>& keys) {
  auto options = std::make_shared<ConfigOptions>();
  command.add_option("--config", options->file, "Settings from a TOML file");
  for (const ConfigKey& key : config_keys()) {
    if (key.secret) continue;  // arguments of a process can be read by others
    if (!keys.empty() && std::ranges::find(keys, key.name) == keys.end()) continue;
    std::string about(key.about);
    if (!key.default_text.empty()) about += " [" + std::string(key.default_text) + "]";
    const std::string name(key.name);
    if (key.list) {
      command
          .add_option_function<std::vector<std::string>>(
              key.flag(),
              [options, name](const std::vector<std::string>& texts) {
                options->flags[name] = join(texts, ",");
              },
              about)
          ->allow_extra_args(false);
    } else {
      command.add_option_function<std::string>(
          key.flag(), [options, name](const std::string& text) { options->flags[name] = text; },
          about);
    }
  }
  return options;
}

}  // namespace cove
