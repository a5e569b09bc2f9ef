#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "executor/code_executor.h"
#include "executor/container/container_executor.h"
#include "executor/native/native_executor.h"
#include "runtime/runtime_catalog.h"
#include "toolchain/compiling_executor.h"

namespace cove {

// The backend that --backend names. Of the further pointers, that of its own kind is set.
struct ExecutorChoice {
  std::unique_ptr<CodeExecutor> executor;
  NativeExecutor* native = nullptr;
  CompilingExecutor* compiling = nullptr;  // around the native one
  ContainerExecutor* container = nullptr;
};

// What the options of a command say about backends.
struct BackendOptions {
  std::string backend = "native";
  std::optional<std::string> isolation;  // of the native backend; unset: namespaces
  ContainerOptions container;
};

Result<ExecutorChoice> choose_executor(const BackendOptions& options, RuntimeCatalog catalog);

// The steps of a run's set-up, a numbered line each; empty where a backend has none.
Result<std::string> explain_steps(const ExecutorChoice& choice, const ExecutionRequest& request);

}  // namespace cove
