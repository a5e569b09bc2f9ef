#pragma once
#include <memory>

#include "executor/code_executor.h"

namespace cove {

// Whether another attempt can help: the infrastructure failed, not the request.
bool is_retryable(ErrorCode code);

// The same executor, tried up to max(1, error_retry_attempts()) times in total when its
// infrastructure fails. A result is never retried, whatever its status; nor is a refusal, a
// cancelled request, or an attempt whose output has already reached the sink (the caller would see
// it twice). The last error is the one returned. The first form owns the executor; the second must
// not outlive it.
std::unique_ptr<CodeExecutor> with_retries(std::unique_ptr<CodeExecutor> executor);
std::unique_ptr<CodeExecutor> with_retries(CodeExecutor& executor);

}  // namespace cove
