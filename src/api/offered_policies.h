#pragma once
#include <functional>
#include <string>
#include <vector>

#include "api/server_config.h"
#include "base/result.h"
#include "model/capabilities.h"
#include "policy/presets.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// Adds what the operator's settings `profile_files` and `policy_files` name to what is installed.
Result<> add_operator_files(const ServerConfig& config, RuntimeCatalog& catalog,
                            PresetCatalog& presets);

// The presets that a server on this host offers: the setting `policies`. Of the default list, one
// that cannot be enforced here is left out, and `warn` is told; one that was named by the operator
// is an error, and so is the policy of requests that name none.
Result<std::vector<std::string>> offered_policies(
    const ServerConfig& config, const PresetCatalog& presets,
    const BackendCapabilities& capabilities,
    const std::function<void(const std::string& message)>& warn);

}  // namespace cove
