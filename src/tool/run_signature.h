#pragma once
#include <string>
#include <vector>

#include "runtime/runtime_catalog.h"

namespace cove {

// How run(input) is written in each of these languages, by their own names, and which of them have
// no harness that calls it: compact, for a model that writes the code.
std::string run_signatures(const RuntimeCatalog& catalog,
                           const std::vector<std::string>& languages);

}  // namespace cove
