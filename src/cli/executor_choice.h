#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "executor/code_executor.h"
#include "executor/native/native_executor.h"
#include "policy/validate.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// The backend that --backend and --isolation name. `native` is null for another backend.
struct ExecutorChoice {
  std::unique_ptr<CodeExecutor> executor;
  NativeExecutor* native = nullptr;
  std::vector<Refusal> refusals;  // of this request, besides what the capabilities tell
};

Result<ExecutorChoice> choose_executor(const std::string& backend, const std::string& isolation,
                                       RuntimeCatalog catalog);

}  // namespace cove
