#pragma once
#include <string>

#include "base/result.h"
#include "sandbox/spec.h"

namespace cove::sandbox {

// The filter program (an array of sock_filter) for seccomp_rules(spec). Compiled in the parent,
// once for each kind of sandbox: the result is kept for the life of the process.
Result<std::string> seccomp_program(const SandboxSpec& spec);

}  // namespace cove::sandbox
