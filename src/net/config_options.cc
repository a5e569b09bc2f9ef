#include "net/config_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "api/config_keys.h"
#include "base/strings.h"

namespace cove {

Result<LoadedConfig> ConfigOptions::load() const {
  ConfigSources sources;
  sources.file = file;
  sources.environment = process_environment();
  sources.flags = flags;
  sources.dev = dev;
  return load_config(sources);
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
