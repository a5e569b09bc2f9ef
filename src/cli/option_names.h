#pragma once
#include <string>

#include "base/result.h"
#include "cli/run_options.h"

namespace cove {

// Errors of a request name its fields ("limits.cpus", `field "timeout_ms"`), which nobody typed.
// Names the options instead, of those that were given: a limit of a policy file keeps its name.
std::string in_options(std::string message, const RunOptions& options);

// What the library advises ("the policy host_local") as the options of a run on this machine.
std::string with_local_advice(std::string message);

// Tells of an error of `cove run`: in the words of the options or, with --json, in those of the
// fields, which programs compare. Gives the exit code.
int report_run_error(const Error& error, const RunOptions& options);
// The same of a run on this machine, with its advice.
int report_local_error(const Error& error, const RunOptions& options);

}  // namespace cove
