#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/server_config.h"
#include "base/result.h"

namespace cove {

// Where values come from, in rising precedence.
struct ConfigSources {
  std::string file;                                              // TOML; empty: none
  std::vector<std::pair<std::string, std::string>> environment;  // of the process
  std::map<std::string, std::string> flags;                      // by key
  bool dev = false;  // --dev: environment local, loopback only
};

struct ConfigValue {
  std::string name;
  std::string text;  // "(set)" for a secret
  std::string source;
};

struct LoadedConfig {
  ServerConfig config;
  std::vector<ConfigValue> values;

  std::string to_text() const;  // for --print-config
};

// Every key from the strongest source that has it. A key nobody knows, in the file or as a
// COVE_SERVE_ variable, is refused by name; so is a value that cannot be understood.
Result<LoadedConfig> load_config(const ConfigSources& sources);

// The environment of this process, for ConfigSources.
std::vector<std::pair<std::string, std::string>> process_environment();

}  // namespace cove
