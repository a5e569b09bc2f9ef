#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "sandbox/guest.h"
#include "sandbox/setup_plan.h"

namespace cove::sandbox {

// Ids of a new user namespace: `count` of them from `inside` stand for those from `outside`.
struct IdMap {
  std::uint32_t inside = 0;
  std::uint32_t outside_uid = 0;
  std::uint32_t outside_gid = 0;
  std::uint32_t count = 1;
};

struct LaunchRequest {
  const SetupPlan* plan = nullptr;
  std::optional<IdMap> ids;  // absent: no user namespace
  std::uint32_t uid = 0;     // outer ids of the guest
  std::uint32_t gid = 0;
  std::unique_ptr<Cgroup> group;          // may be null
  std::optional<TerminalSize> terminal;   // instead of pipes; the plan must agree
  const SetupPlan* guest_plan = nullptr;  // for a zygote: what its children do
  UniqueFd zygote_commands;               // for a zygote: takes the place of the job
};

// Starts the helper with the plan, and returns when the guest is locked down and waits.
Result<std::unique_ptr<Guest>> launch(LaunchRequest request);

// The helper's program, sealed in memory; the same descriptor for the life of the process.
Result<int> init_program_fd();

}  // namespace cove::sandbox
