#pragma once
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/exec_file.h"

namespace cove::differential {

// One program of the suite. What it needs besides its code stands in its first lines, as TOML
// behind "#:"; see README.md.
struct Program {
  std::string name;  // "exit/del_in_globals"
  std::string code;
  std::vector<std::string> args;
  std::string stdin_data;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<ExecFile> files;
  bool guests_only = false;  // says what only holds in a sandbox: cold and warm alone are compared
  bool cold_only = false;    // asks for what no waiting guest can give: bare and cold are compared
  std::vector<std::regex> masks;

  // The text without what may differ between two runs by the program's own declaration.
  std::string masked(std::string text) const;
};

Result<Program> load_program(const std::filesystem::path& file, const std::string& group);

}  // namespace cove::differential
