#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

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
  // `allowed`: the presets that the caller's key is limited to; empty: all that are offered.
  RequestGuard(const ServerConfig& config, PresetCatalog presets,
               std::vector<std::string> allowed = {})
      : config_(config), presets_(std::move(presets)), allowed_(std::move(allowed)) {}

  struct ChosenPolicy {
    SandboxPolicy policy;            // with limits that this server gives
    std::string name;                // of a preset, or empty for one of the request's own
    std::vector<std::string> notes;  // what of it was lowered, one sentence each
  };
  // The presets on offer to this caller, and which one a request gets that names none: the
  // server's, or, where the key does not allow that one, the first that it does allow.
  std::vector<std::string> offered() const;
  std::string default_policy() const;
  bool allows_custom() const;
  std::chrono::seconds max_idle_timeout() const {
    return std::chrono::duration_cast<std::chrono::seconds>(config_.session_max_idle_timeout);
  }
  // From the field `policy` of a request: absent (null), a preset's name, or an object.
  Result<ChosenPolicy> choose_policy(const json::value* field) const;
  // From the field `backend`: the name of one that is offered. Empty: native, the server's own.
  Result<std::string> choose_backend(const json::value* field) const;
  // Refuses figures past the operator's, by field.
  Result<> check_limits(const Limits& limits, const std::string& path) const;

 private:
  Result<ChosenPolicy> preset(const std::string& name) const;

  const ServerConfig& config_;
  PresetCatalog presets_;
  std::vector<std::string> allowed_;
};

}  // namespace cove
