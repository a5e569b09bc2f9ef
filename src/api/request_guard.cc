#include "api/request_guard.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "model/limit_bounds.h"
#include "model/policy_codec.h"

namespace cove {

namespace {

Result<> at_most(const std::optional<Bytes>& asked, Bytes most, const std::string& field) {
  if (!asked || *asked <= most) return {};
  return Err(Error::invalid_field(field, "must not be more than " + format_size(most) +
                                             " on this server, got " + format_size(*asked)));
}

template <class T>
Result<> number_at_most(const std::optional<T>& asked, T most, const std::string& field) {
  if (!asked || *asked <= most) return {};
  return Err(Error::invalid_field(
      field, fmt::format("must not be more than {} on this server, got {}", most, *asked)));
}

}  // namespace

std::vector<std::string> RequestGuard::offered() const {
  if (allowed_.empty()) return config_.policies;
  std::vector<std::string> out;
  std::ranges::copy_if(config_.policies, std::back_inserter(out), [this](const std::string& name) {
    return std::ranges::find(allowed_, name) != allowed_.end();
  });
  return out;
}

std::string RequestGuard::default_policy() const {
  const std::vector<std::string> choice = offered();
  if (choice.empty() || std::ranges::find(choice, config_.policy) != choice.end()) {
    return config_.policy;  // nothing is left: the engine says what the key allows
  }
  return choice.front();
}

bool RequestGuard::allows_custom() const {
  return config_.custom_policies &&
         (allowed_.empty() || std::ranges::find(allowed_, "custom") != allowed_.end());
}

Result<RequestGuard::ChosenPolicy> RequestGuard::preset(const std::string& name) const {
  ChosenPolicy out;
  COVE_ASSIGN(out.policy, presets_.find(name));
  out.policy.limits = lower_limits(out.policy.limits, config_.most(), &out.notes);
  out.name = name;
  return out;
}

Result<RequestGuard::ChosenPolicy> RequestGuard::choose_policy(const json::value* field) const {
  if (field == nullptr || field->is_null()) return preset(default_policy());
  if (field->is_object()) {
    if (!config_.custom_policies) {
      return Err(Error(ErrorCode::Forbidden,
                       "policy: this server takes presets only, not policies of a request's own; "
                       "there are: " +
                           join(config_.policies, ", ")));
    }
    ChosenPolicy out;
    COVE_ASSIGN(out.policy, decode_policy(*field, "policy"));
    COVE_TRY(check_limits(out.policy.limits, "policy.limits"));
    return out;
  }
  COVE_ASSIGN(const std::string name, json_string(*field, "policy"));
  if (std::ranges::find(config_.policies, name) == config_.policies.end()) {
    return Err(Error::invalid_field(
        "policy", "must be one of " + join(config_.policies, ", ") + ", got " + quoted(name)));
  }
  return preset(name);
}

Result<std::string> RequestGuard::choose_backend(const json::value* field) const {
  if (field == nullptr || field->is_null()) return "";
  COVE_ASSIGN(std::string name, json_string(*field, "backend"));
  if (std::ranges::find(config_.backends, name) == config_.backends.end()) {
    return Err(Error::invalid_field(
        "backend", "must be one of " + join(config_.backends, ", ") + ", got " + quoted(name)));
  }
  if (name == kNativeBackend) name.clear();
  return name;
}

Result<> RequestGuard::check_limits(const Limits& limits, const std::string& path) const {
  const Limits most = config_.most();
  COVE_TRY(at_most(limits.memory, *most.memory, path + ".memory"));
  COVE_TRY(number_at_most(limits.cpus, *most.cpus, path + ".cpus"));
  COVE_TRY(number_at_most(limits.processes, *most.processes, path + ".processes"));
  COVE_TRY(at_most(limits.disk, *most.disk, path + ".disk"));
  COVE_TRY(at_most(limits.stdout_bytes, *most.stdout_bytes, path + ".stdout_bytes"));
  COVE_TRY(at_most(limits.stderr_bytes, *most.stderr_bytes, path + ".stderr_bytes"));
  COVE_TRY(number_at_most(limits.inodes, *most.inodes, path + ".inodes"));
  COVE_TRY(number_at_most(limits.descriptors, *most.descriptors, path + ".descriptors"));
  return {};
}

}  // namespace cove
