#pragma once
#include "base/result.h"
#include "cli/run_options.h"
#include "model/execution_result.h"

namespace cove {

// Writes a run's output files where --out says, or tells how to keep them. Contents that were
// written leave the result, unless --contents asks for them.
Result<> deliver_files(const RunOptions& options, ExecutionResult& result);

}  // namespace cove
