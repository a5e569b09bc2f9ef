#pragma once
#include "sandbox/setup_plan.h"
#include "sandbox/spec.h"

namespace cove::sandbox {

// The kernel's Landlock version, 0 where there is none.
int landlock_abi();

// Rules on files, TCP, signals and abstract sockets, as far as `spec.landlock_abi` goes. At the
// namespaces level a second line behind the mounts; at the landlock level the only one.
void add_landlock(SetupPlan& plan, const SandboxSpec& spec);

}  // namespace cove::sandbox
