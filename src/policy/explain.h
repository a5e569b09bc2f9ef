#pragma once
#include <string>

#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/sandbox_policy.h"

namespace cove {

// For people: a line for each aspect (what is asked, and how this backend holds it to that), then
// either that everything will be enforced or each refusal with its hint. Ends with a newline.
std::string explain_policy(const SandboxPolicy& policy, const BackendCapabilities& capabilities);
std::string explain_request(const ExecutionRequest& request,
                            const BackendCapabilities& capabilities);

// What a policy says, without a backend: for `cove policy show`.
std::string describe_policy(const SandboxPolicy& policy);

}  // namespace cove
