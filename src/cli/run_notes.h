#pragma once
#include <string>
#include <vector>

#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove {

// What a person should be told about a run besides its output: why it was stopped and which option
// changes that, one line each. Empty when there is nothing to say.
std::vector<std::string> run_notes(const ExecutionRequest& request, const ExecutionResult& result,
                                   const Limits& profile_limits,
                                   const BackendCapabilities& capabilities);

}  // namespace cove
