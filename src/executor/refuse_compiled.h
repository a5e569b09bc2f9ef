#pragma once
#include "base/result.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"

namespace cove {

// The `entry` of a request in a language that is not compiled: with a [check] it is how diagnostics
// call the code, without one it is an error.
Result<> check_entry(const LanguageProfile& profile, const ExecutionRequest& request);

// For executors that compile nothing: a compiled language, or a request with the `entry` of one, is
// an error that says who does.
Result<> refuse_compiled(const LanguageProfile& profile, const ExecutionRequest& request);

}  // namespace cove
