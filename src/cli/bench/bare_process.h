#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace cove {

struct BareRun {
  double milliseconds = 0;
  int exit_code = -1;
  std::string output;  // stdout and stderr
};

// Starts a program without a sandbox, the cheapest fair way: posix_spawn, pipes for its output,
// read to the end, wait. The time is from before the spawn until the exit is known.
Result<BareRun> run_bare(const std::vector<std::string>& argv);

}  // namespace cove
