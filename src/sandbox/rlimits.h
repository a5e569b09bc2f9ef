#pragma once
#include "sandbox/setup_plan.h"
#include "sandbox/spec.h"

namespace cove::sandbox {

// Resource limits of every process of the guest.
void add_rlimits(SetupPlan& plan, const SandboxSpec& spec);

}  // namespace cove::sandbox
