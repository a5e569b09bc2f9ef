#pragma once
#include "base/result.h"
#include "executor/container/container_run.h"
#include "model/execution_result.h"

namespace cove {

// What a container's end means: a result, or an error of the engine (BackendUnavailable, or
// DependencyNotFound when the image has no such program).
Result<> fill_container_outcome(const ContainerEnd& end, EngineKind kind, ExecutionResult& result);

}  // namespace cove
