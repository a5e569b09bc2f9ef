#include "api/session_guard.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/server_config.h"
#include "base/strings.h"

namespace cove {

namespace {

Result<> check_listed(const Caller& caller, const std::vector<std::string>& allowed,
                      std::string_view what, const std::string& asked) {
  if (allowed.empty() || std::ranges::find(allowed, asked) != allowed.end()) return {};
  return Err(Error(ErrorCode::Forbidden,
                   fmt::format("{}: the key {} does not allow {}; it allows {}", what,
                               quoted(caller.name), quoted(asked), join(allowed, ", "))));
}

}  // namespace

Result<> check_session(const Caller& caller, const SessionOptions& asked,
                       const RuntimeCatalog& catalog) {
  const CallerLimits& limits = caller.limits;
  COVE_TRY(check_listed(caller, limits.policies, "policy",
                        asked.policy_name.empty() ? "custom" : asked.policy_name));
  COVE_TRY(check_listed(caller, limits.backends, "backend", std::string(kNativeBackend)));
  if (limits.languages.empty()) return {};
  if (!asked.profile.empty()) {
    return check_listed(caller, limits.languages, "profile", asked.profile);
  }
  COVE_ASSIGN(const Runtime runtime, catalog.find(asked.language));
  return check_listed(caller, limits.languages, "language", runtime.profile.name);
}

Result<> check_cell(const Caller& caller, const SessionInfo& session) {
  COVE_TRY(check_listed(caller, caller.limits.policies, "policy", session.policy));
  COVE_TRY(check_listed(caller, caller.limits.backends, "backend", std::string(kNativeBackend)));
  return check_listed(caller, caller.limits.languages, "language", session.profile);
}

}  // namespace cove
