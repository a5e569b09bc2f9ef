#pragma once
#include "base/result.h"
#include "sandbox/setup_plan.h"
#include "sandbox/spec.h"

namespace cove::sandbox {

// The whole set-up of one guest that is launched on its own: outside first, then the guest.
Result<SetupPlan> guest_plan(const SandboxSpec& spec);

// A sandbox without a guest, in which a zygote waits with the right to make guests' namespaces. It
// never runs foreign code. `spec.executable` is the zygote.
Result<SetupPlan> zygote_plan(const SandboxSpec& spec);

// What each child of that zygote does: first as pid 1 up to the fork, then as the guest.
Result<SetupPlan> forked_guest_plan(const SandboxSpec& spec);

}  // namespace cove::sandbox
