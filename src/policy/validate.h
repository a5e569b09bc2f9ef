#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/sandbox_policy.h"

namespace cove {

// One thing that was asked for and that the backend cannot enforce.
struct Refusal {
  std::string aspect;   // "network", "limits.memory"
  std::string problem;  // "backend cannot enforce network restrictions"
  std::string hint;     // what to do about it
};

// Everything a policy, or a request with its policy, asks for in vain: network, filesystem,
// environment, timeout, then limits. Empty: all of it will hold.
std::vector<Refusal> policy_refusals(const SandboxPolicy& policy,
                                     const BackendCapabilities& capabilities);
std::vector<Refusal> request_refusals(const ExecutionRequest& request,
                                      const BackendCapabilities& capabilities);

// The defaults that nobody asked for by name ("limits.disk") and that the backend does not enforce:
// no reason to refuse, but not to be passed over either.
std::vector<std::string> unenforced_defaults(const Limits& request, const Limits& policy,
                                             const BackendCapabilities& capabilities);

// Fail closed, before anything runs: the first refusal as an UnsupportedPolicy error.
// validate_request first checks the request's own values (file names, environment, figures:
// InvalidRequest).
Result<> validate_policy(const SandboxPolicy& policy, const BackendCapabilities& capabilities);
Result<> validate_request(const ExecutionRequest& request, const BackendCapabilities& capabilities);

}  // namespace cove
