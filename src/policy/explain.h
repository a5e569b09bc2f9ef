#pragma once
#include <string>
#include <vector>

#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/sandbox_policy.h"
#include "policy/validate.h"

namespace cove {

// For people: a line for each aspect (what is asked, and how this backend holds it to that), then
// either that everything will be enforced or each refusal with its hint. `further` are refusals
// that only the backend itself could find. `profile` are the language's own limits. Ends with a
// newline.
std::string explain_policy(const SandboxPolicy& policy, const BackendCapabilities& capabilities,
                           const std::vector<Refusal>& further = {});
std::string explain_request(const ExecutionRequest& request,
                            const BackendCapabilities& capabilities, const Limits& profile = {},
                            const std::vector<Refusal>& further = {});

// What a policy says, without a backend: for `cove policy show`.
std::string describe_policy(const SandboxPolicy& policy);

}  // namespace cove
