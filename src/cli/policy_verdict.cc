#include "cli/policy_verdict.h"

#include "base/strings.h"

namespace cove {

std::vector<Refusal> backend_refusals(const ExecutorChoice& choice, const SandboxPolicy& policy) {
  if (choice.native == nullptr) return choice.refusals;
  const auto checked = choice.native->check_policy(policy);
  if (checked) return {};
  return {{"filesystem", checked.error().message(), ""}};
}

json::object encode_verdict(const SandboxPolicy& policy, const BackendCapabilities& capabilities,
                            const PolicyVerdict& verdict) {
  json::array refusals;
  for (const Refusal& refusal : verdict.refusals) {
    json::object entry{{"aspect", refusal.aspect}, {"problem", sanitize_utf8(refusal.problem)}};
    entry["hint"] = refusal.hint;
    refusals.push_back(std::move(entry));
  }
  return json::object{{"policy", sanitize_utf8(policy.name)},
                      {"backend", capabilities.backend},
                      {"isolation", capabilities.isolation},
                      {"enforceable", verdict.refusals.empty()},
                      {"refusals", std::move(refusals)},
                      {"unenforced_defaults", json::value_from(verdict.unenforced_defaults)}};
}

}  // namespace cove
