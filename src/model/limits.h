#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace cove {

// How strictly a limit must hold. `Strongest`: the best that this host has (the result says which).
// `Tree`: over the whole process tree, by a cgroup; refused where there is none.
enum class LimitScope : unsigned char { Strongest, Tree };

// What a caller asks for; what is absent comes from the policy, then the language profile, then
// `ResolvedLimits`.
struct Limits {
  std::optional<Bytes> memory;
  std::optional<double> cpus;
  std::optional<std::chrono::milliseconds> cpu_time;
  std::optional<std::uint32_t> processes;
  std::optional<Bytes> disk;
  std::optional<std::uint32_t> inodes;
  std::optional<std::uint32_t> descriptors;
  std::optional<Bytes> stdout_bytes;
  std::optional<Bytes> stderr_bytes;
  std::optional<LimitScope> scope;
};

// Every limit of one run, decided.
struct ResolvedLimits {
  Bytes memory = Bytes::mib(512);
  double cpus = 1.0;
  std::optional<std::chrono::milliseconds> cpu_time;  // absent: bounded by the timeout alone
  std::uint32_t processes = 64;
  Bytes disk = Bytes::mib(64);
  std::uint32_t inodes = 16384;
  std::uint32_t descriptors = 256;
  Bytes stdout_bytes = Bytes::mib(1);
  Bytes stderr_bytes = Bytes::mib(1);
  LimitScope scope = LimitScope::Strongest;
};

// The first that says something wins: request, policy, profile, then the defaults above.
ResolvedLimits resolve_limits(const Limits& request, const Limits& policy, const Limits& profile);

// Refuses figures that no run could use ("must be between 1 MiB and 1 TiB, got 5 B"). `path` is
// where they stand: "limits".
Result<> validate_limits(const Limits& limits, const std::string& path);

}  // namespace cove
