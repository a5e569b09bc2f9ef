#pragma once
#include <chrono>

#include "base/result.h"
#include "engine/engine.h"
#include "model/sandbox_policy.h"

namespace cove {

// How long a run under this policy may take if the request does not say: a policy with a time of
// its own keeps it; where it only has the usual one (30 s), the engine's default stands in. Not
// bounded by the maximum yet.
std::chrono::milliseconds usual_timeout(const SandboxPolicy& policy,
                                        std::chrono::milliseconds default_timeout);

// What can be refused before a job is queued, and the request as it will run: the language by its
// own name, a timeout within bounds (a note says that it was lowered), file contents collected.
// Forbidden: the caller's key does not allow the language or the policy; the message says what it
// allows. `executor` is the one that the submission names.
Result<> prepare_submission(Submission& submission, const EngineOptions& options,
                            const CodeExecutor& executor);

}  // namespace cove
