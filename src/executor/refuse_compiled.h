#pragma once
#include "base/result.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"

namespace cove {

// For executors that compile nothing: a compiled language, or a request with the `entry` of one, is
// an error that says who does.
Result<> refuse_compiled(const LanguageProfile& profile, const ExecutionRequest& request);

}  // namespace cove
