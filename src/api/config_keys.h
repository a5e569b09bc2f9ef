#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/server_config.h"
#include "base/result.h"

namespace cove {

// One setting of the server: how it is called everywhere, and what it is for. In the TOML file it
// is `name`, on the command line --name with dashes, in the environment one of `variables`.
struct ConfigKey {
  std::string_view name;
  std::vector<std::string> variables;  // the first that is set and not empty counts
  std::string_view default_text;
  std::string_view about;
  bool secret = false;  // never printed, no flag: arguments of a process can be read by others
  bool list = false;    // values separated by commas; the flag may be given several times
  std::function<Result<>(ServerConfig&, const std::string& text)> set;

  std::string flag() const;  // "--max-queue"
};

// All of them, in the order in which they are shown.
const std::vector<ConfigKey>& config_keys();

// The table of docs/operations.md.
std::string config_keys_markdown();

}  // namespace cove
