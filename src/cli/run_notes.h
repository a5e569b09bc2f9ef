#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove {

// What a person should be told about a run besides its output: why it was stopped and which option
// changes that, one line each. Empty when there is nothing to say. `timeout_advice` is said of a
// timeout instead of "; raise it with --timeout".
std::vector<std::string> run_notes(const ExecutionRequest& request, const ExecutionResult& result,
                                   const Limits& profile_limits,
                                   const BackendCapabilities& capabilities,
                                   std::string_view timeout_advice = "");

}  // namespace cove
