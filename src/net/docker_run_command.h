#pragma once
#include "cli/run_options.h"

namespace cove {

// `cove run --backend docker`: as `cove run`, in a container that is made for this run. Gives the
// exit code. `names_isolation`: --isolation was given, which is the native backend's.
int run_in_docker(const RunOptions& options, bool names_isolation);

}  // namespace cove
