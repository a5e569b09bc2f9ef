#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/presets.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// What the command finds on this host: languages and policy presets.
struct Installation {
  std::string data_directory;
  RuntimeCatalog catalog;
  PresetCatalog presets;
};

// With a `word` (a language, or a file's extension) only the languages that know it are read, if
// there are any.
Result<Installation> load_installation(const std::string& word = "");

}  // namespace cove
