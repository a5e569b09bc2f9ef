#pragma once
#include "base/result.h"
#include "engine/engine.h"

namespace cove {

// What can be refused before a job is queued, and the request as it will run: the language by its
// own name, a timeout within bounds, file contents collected. Forbidden: the caller's key does not
// allow the language or the policy; the message says what it allows.
Result<> prepare_submission(Submission& submission, const EngineOptions& options,
                            const CodeExecutor& executor);

}  // namespace cove
