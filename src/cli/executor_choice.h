#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "executor/code_executor.h"
#include "executor/native/native_executor.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// The backend that --backend and --isolation name. `native` is null for another backend.
struct ExecutorChoice {
  std::unique_ptr<CodeExecutor> executor;
  NativeExecutor* native = nullptr;
};

Result<ExecutorChoice> choose_executor(const std::string& backend, const std::string& isolation,
                                       RuntimeCatalog catalog);

}  // namespace cove
