#pragma once
#include "base/result.h"
#include "executor/container/container_run.h"
#include "model/execution_result.h"

namespace cove {

// What a container's end means: a result, or an error of the engine (BackendUnavailable, or
// DependencyNotFound when the image has no such program).
Result<> fill_container_outcome(const ContainerEnd& end, EngineKind kind, ExecutionResult& result);

// Whether all that ran was the container's init, which found no such program in the image. A
// program that ends with the same words is taken for it, to its own disadvantage.
bool is_missing_program(const ExecutionResult& result);

}  // namespace cove
