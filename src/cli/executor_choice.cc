#include "cli/executor_choice.h"

#include <utility>

#include "executor/local/local_executor.h"

namespace cove {

Result<ExecutorChoice> choose_executor(const std::string& backend, const std::string& isolation,
                                       RuntimeCatalog catalog) {
  ExecutorChoice choice;
  if (backend == "local") {
    choice.executor = std::make_unique<LocalExecutor>(std::move(catalog));
    return choice;
  }
  NativeOptions options;
  options.isolation = isolation;
  COVE_ASSIGN(auto native, NativeExecutor::create(std::move(catalog), std::move(options)));
  choice.native = native.get();
  choice.executor = std::move(native);
  return choice;
}

}  // namespace cove
