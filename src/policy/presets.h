#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/request_codec.h"
#include "model/sandbox_policy.h"

namespace cove {

// The presets that need no file: strict, strict_js, strict_rust, host_local.
const std::vector<SandboxPolicy>& builtin_presets();

// One policy from text; `source` is the file's name for messages.
Result<SandboxPolicy> parse_policy_toml(std::string_view text, const std::string& source);

// A policy file: TOML, or JSON if it is called *.json. Its name is what it says, else the file's
// stem.
Result<SandboxPolicy> load_policy_file(const std::filesystem::path& file);

// The built-in presets and the files of some directories (policies/NAME.toml). A built-in name
// cannot be redefined by a file: `strict` means the same everywhere. Reads the files of directories
// when asked; const calls may come from many threads.
class PresetCatalog {
 public:
  PresetCatalog() = default;
  explicit PresetCatalog(std::vector<std::filesystem::path> directories)
      : directories_(std::move(directories)) {}

  // Also the presets of this file, or of every NAME.toml of this directory.
  Result<> add(const std::string& file_or_directory);

  // By name only: what a request from outside may say. Never opens a path that the caller chose.
  Result<SandboxPolicy> find(std::string_view name) const;
  // By name, or by file path (something with a '/' or ending in .toml or .json): for the command
  // line.
  Result<SandboxPolicy> find_or_load(const std::string& name_or_file) const;
  std::vector<std::string> names() const;

  // For decode_request; the catalog is copied.
  PresetResolver resolver() const;

 private:
  std::vector<std::filesystem::path> directories_;
  std::vector<SandboxPolicy> files_;  // single ones that were added, read once
};

}  // namespace cove
