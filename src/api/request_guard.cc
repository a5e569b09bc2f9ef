#include "api/request_guard.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_size.h"
#include "base/strings.h"
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

Result<RequestGuard::ChosenPolicy> RequestGuard::choose_policy(const json::value* field) const {
  ChosenPolicy out;
  if (field == nullptr || field->is_null()) {
    COVE_ASSIGN(out.policy, presets_.find(config_.policy));
    out.name = config_.policy;
    return out;
  }
  if (field->is_object()) {
    if (!config_.custom_policies) {
      return Err(Error(ErrorCode::Forbidden,
                       "policy: this server takes presets only, not policies of a request's own; "
                       "there are: " +
                           join(config_.policies, ", ")));
    }
    COVE_ASSIGN(out.policy, decode_policy(*field, "policy"));
    COVE_TRY(check_limits(out.policy.limits, "policy.limits"));
    return out;
  }
  COVE_ASSIGN(out.name, json_string(*field, "policy"));
  if (std::ranges::find(config_.policies, out.name) == config_.policies.end()) {
    return Err(Error::invalid_field(
        "policy", "must be one of " + join(config_.policies, ", ") + ", got " + quoted(out.name)));
  }
  COVE_ASSIGN(out.policy, presets_.find(out.name));
  return out;
}

Result<> RequestGuard::check_limits(const Limits& limits, const std::string& path) const {
  COVE_TRY(at_most(limits.memory, config_.max_memory, path + ".memory"));
  COVE_TRY(number_at_most(limits.cpus, config_.max_cpus, path + ".cpus"));
  COVE_TRY(
      number_at_most<std::uint32_t>(limits.processes, config_.max_processes, path + ".processes"));
  COVE_TRY(at_most(limits.disk, config_.max_disk, path + ".disk"));
  COVE_TRY(at_most(limits.stdout_bytes, config_.max_output, path + ".stdout_bytes"));
  COVE_TRY(at_most(limits.stderr_bytes, config_.max_output, path + ".stderr_bytes"));
  COVE_TRY(number_at_most<std::uint32_t>(limits.inodes, 1U << 20U, path + ".inodes"));
  COVE_TRY(number_at_most<std::uint32_t>(limits.descriptors, 65536, path + ".descriptors"));
  return {};
}

}  // namespace cove
