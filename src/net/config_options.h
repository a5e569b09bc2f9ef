#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/load_config.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// The server's settings as options of a subcommand.
struct ConfigOptions {
  std::string file;
  bool dev = false;
  std::map<std::string, std::string> flags;  // by key
  std::map<std::string, std::string> own;    // words of the command that are no settings, by field

  Result<LoadedConfig> load() const;  // with the environment of this process
  // Tells of an error in the words of who started it: the flag if it was given, else the setting.
  // With `as_json` the field, which programs compare. Gives the exit code.
  int report(const Error& error, bool as_json) const;

 private:
  std::string typed_name(const std::string& field) const;
};

// --config and a flag for each of `keys` (empty: for all).
std::shared_ptr<ConfigOptions> add_config_options(CLI::App& command,
                                                  const std::vector<std::string_view>& keys);

}  // namespace cove
