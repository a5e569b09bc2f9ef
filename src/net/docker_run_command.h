#pragma once
#include "cli/run_options.h"

namespace cove {

// `cove run --backend docker`: as `cove run`, in a container that is made for this run. Gives the
// exit code.
int run_in_docker(const RunOptions& options);

}  // namespace cove
