#include "api/offered_policies.h"

#include "base/strings.h"
#include "policy/validate.h"

namespace cove {

Result<> add_operator_files(const ServerConfig& config, RuntimeCatalog& catalog,
                            PresetCatalog& presets) {
  for (const std::string& path : config.profile_files) {
    if (auto added = catalog.add_profiles(path); !added) {
      return Err(std::move(added).error().with_context("the setting profile_files"));
    }
  }
  for (const std::string& path : config.policy_files) {
    if (auto added = presets.add(path); !added) {
      return Err(std::move(added).error().with_context("the setting policy_files"));
    }
  }
  return {};
}

Result<std::vector<std::string>> offered_policies(
    const ServerConfig& config, const PresetCatalog& presets,
    const BackendCapabilities& capabilities,
    const std::function<void(const std::string& message)>& warn) {
  std::vector<std::string> offered;
  for (const std::string& name : config.policies) {
    COVE_ASSIGN(const SandboxPolicy policy, presets.find(name));
    const auto enforceable = validate_policy(policy, capabilities);
    if (enforceable) {
      offered.push_back(name);
      continue;
    }
    const std::string problem =
        "the policy " + quoted(name) +
        " of the setting policies cannot be enforced here: " + enforceable.error().message();
    if (config.given.contains("policies") || name == config.policy) {
      return Err(Error(ErrorCode::UnsupportedPolicy,
                       problem + "; or leave it out of the setting policies (--policies)"));
    }
    warn(problem + "; it is not offered");
  }
  return offered;
}

}  // namespace cove
