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

Result<Installation> load_installation();

}  // namespace cove
