#pragma once
#include <string>
#include <string_view>

#include "api/server_config.h"
#include "base/json.h"
#include "base/result.h"
#include "model/limits.h"
#include "model/sandbox_policy.h"
#include "policy/presets.h"

namespace cove {

// What a request from outside may ask of this server. A policy names host paths and a limit takes
// the host's memory: what is on offer is the operator's decision, and the rest is refused.
class RequestGuard {
 public:
  RequestGuard(const ServerConfig& config, PresetCatalog presets)
      : config_(config), presets_(std::move(presets)) {}

  struct ChosenPolicy {
    SandboxPolicy policy;
    std::string name;  // of a preset, or empty for one of the request's own
  };
  // From the field `policy` of a request: absent (null), a preset's name, or an object.
  Result<ChosenPolicy> choose_policy(const json::value* field) const;
  // Refuses figures past the operator's, by field.
  Result<> check_limits(const Limits& limits, const std::string& path) const;

 private:
  const ServerConfig& config_;
  PresetCatalog presets_;
};

}  // namespace cove
