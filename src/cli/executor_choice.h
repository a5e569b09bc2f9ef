#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/code_executor.h"
#include "executor/container/container_executor.h"
#include "executor/native/native_executor.h"
#include "policy/validate.h"
#include "runtime/runtime_catalog.h"
#include "toolchain/compiling_executor.h"

namespace cove {

// "native", "local", "container", "docker" or "image:NAME". As CLI11 wants it: an empty text, or
// what is wrong.
std::string check_backend_name(const std::string& backend);

// The backend that --backend names. Of the further pointers, that of its own kind is set.
struct ExecutorChoice {
  std::unique_ptr<CodeExecutor> executor;
  NativeExecutor* native = nullptr;
  CompilingExecutor* compiling = nullptr;  // around the native one
  ContainerExecutor* container = nullptr;
  std::vector<Refusal> refusals;  // of this request, besides what the capabilities tell
};

// What the options of a command say about backends.
struct BackendOptions {
  std::string backend = "native";
  std::optional<std::string> isolation;  // of native and image:NAME; unset: namespaces
  ContainerOptions container;
};

// Says that --isolation was given with a backend that has no levels.
Error isolation_of_another(std::string_view backend);

// Every backend but docker, which is made in cove-net (net/docker_run_command.h).
Result<ExecutorChoice> choose_executor(const BackendOptions& options, RuntimeCatalog catalog);

// The steps of a run's set-up, a numbered line each; empty where a backend has none.
struct ExplainedSteps {
  std::string program;
  // Compiled languages: those for the compiler, and what that is held to.
  std::string compiler;
  std::string compiler_limits;
};
Result<ExplainedSteps> explain_steps(const ExecutorChoice& choice, const ExecutionRequest& request);

}  // namespace cove
