#include "model/limits.h"

#include <utility>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_size.h"

namespace cove {
namespace {

using std::chrono::milliseconds;

template <class T>
T first_of(const std::optional<T>& request, const std::optional<T>& policy,
           const std::optional<T>& profile, T fallback) {
  if (request) return *request;
  if (policy) return *policy;
  return profile.value_or(fallback);
}

Result<> check_size(const std::optional<Bytes>& size, std::pair<Bytes, Bytes> range,
                    const std::string& field) {
  if (!size || (*size >= range.first && *size <= range.second)) return {};
  return Err(Error::invalid_field(
      field, fmt::format("must be between {} and {}, got {}", format_size(range.first),
                         format_size(range.second), format_size(*size))));
}

Result<> check_count(const std::optional<std::uint32_t>& count,
                     std::pair<std::uint32_t, std::uint32_t> range, const std::string& field) {
  if (!count || (*count >= range.first && *count <= range.second)) return {};
  return Err(Error::invalid_field(
      field, fmt::format("must be between {} and {}, got {}", range.first, range.second, *count)));
}

}  // namespace

ResolvedLimits resolve_limits(const Limits& request, const Limits& policy, const Limits& profile) {
  ResolvedLimits out;
  const auto pick = [&](auto member, auto& target) {
    target = first_of(request.*member, policy.*member, profile.*member, target);
  };
  pick(&Limits::memory, out.memory);
  pick(&Limits::cpus, out.cpus);
  pick(&Limits::processes, out.processes);
  pick(&Limits::disk, out.disk);
  pick(&Limits::inodes, out.inodes);
  pick(&Limits::descriptors, out.descriptors);
  pick(&Limits::stdout_bytes, out.stdout_bytes);
  pick(&Limits::stderr_bytes, out.stderr_bytes);
  out.cpu_time = request.cpu_time  ? request.cpu_time
                 : policy.cpu_time ? policy.cpu_time
                                   : profile.cpu_time;
  // A policy that insists on the whole tree is not softened by a request.
  pick(&Limits::scope, out.scope);
  if (policy.scope == LimitScope::Tree) out.scope = LimitScope::Tree;
  return out;
}

Result<> validate_limits(const Limits& limits, const std::string& path) {
  const auto at = [&](std::string_view name) { return path + "." + std::string(name); };
  constexpr std::uint32_t kMany = 1'000'000;
  const std::pair size_range{Bytes::mib(1), Bytes::gib(1024)};
  const std::pair output_range{Bytes{0}, Bytes::gib(1)};

  COVE_TRY(check_size(limits.memory, size_range, at("memory")));
  if (limits.cpus && !(*limits.cpus >= 0.01 && *limits.cpus <= 1024)) {
    return Err(Error::invalid_field(
        at("cpus"), fmt::format("must be between 0.01 and 1024, got {}", *limits.cpus)));
  }
  if (limits.cpu_time &&
      (*limits.cpu_time < milliseconds(1) || *limits.cpu_time > std::chrono::hours(24))) {
    return Err(Error::invalid_field(
        at("cpu_time_ms"),
        fmt::format("must be between 1 ms and 24 h, got {}", format_duration(*limits.cpu_time))));
  }
  COVE_TRY(check_count(limits.processes, {1, kMany}, at("processes")));
  COVE_TRY(check_size(limits.disk, {Bytes::kib(64), Bytes::gib(1024)}, at("disk")));
  COVE_TRY(check_count(limits.inodes, {16, 100 * kMany}, at("inodes")));
  // Three standard streams, the control descriptor, the program file and a loader's library.
  COVE_TRY(check_count(limits.descriptors, {16, kMany}, at("descriptors")));
  COVE_TRY(check_size(limits.stdout_bytes, output_range, at("stdout_bytes")));
  COVE_TRY(check_size(limits.stderr_bytes, output_range, at("stderr_bytes")));
  return {};
}

}  // namespace cove
