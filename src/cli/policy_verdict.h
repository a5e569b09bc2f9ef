#pragma once
#include <vector>

#include "base/json.h"
#include "cli/executor_choice.h"
#include "model/sandbox_policy.h"
#include "policy/validate.h"

namespace cove {

// What only the chosen backend can find wrong with a policy here: a path that does not exist, say.
std::vector<Refusal> backend_refusals(const ExecutorChoice& choice, const SandboxPolicy& policy);

// The same verdict for programs: {"policy", "backend", "isolation", "enforceable", "refusals": […],
// "unenforced_defaults": […]}.
struct PolicyVerdict {
  std::vector<Refusal> refusals;
  std::vector<std::string> unenforced_defaults;
};
json::object encode_verdict(const SandboxPolicy& policy, const BackendCapabilities& capabilities,
                            const PolicyVerdict& verdict);

}  // namespace cove
