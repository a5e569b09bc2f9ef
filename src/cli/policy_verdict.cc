#include "cli/policy_verdict.h"

#include "base/strings.h"

namespace cove {

std::vector<Refusal> backend_refusals(const ExecutorChoice& choice, const SandboxPolicy& policy) {
  std::vector<Refusal> refusals = choice.refusals;
  Result<> checked;
  if (choice.native != nullptr) checked = choice.native->check_policy(policy);
  if (choice.container != nullptr) checked = choice.container->check_policy(policy);
  if (!checked) refusals.push_back({"filesystem", checked.error().message(), ""});
  return refusals;
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
