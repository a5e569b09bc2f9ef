#pragma once
#include "base/result.h"
#include "differential/observation.h"
#include "differential/program.h"
#include "runtime/language_profile.h"

namespace cove::differential {

// Runs a program with /usr/bin/python3 as a person would, without Cove. The process has a mount,
// pid and user namespace of its own, only so that it sees the paths, the process number and the
// user number that a guest sees; its environment is what the profile gives to a guest. Thread-safe.
Result<Observation> run_bare(const Program& program, const LanguageProfile& profile);

}  // namespace cove::differential
