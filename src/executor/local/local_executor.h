#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "executor/code_executor.h"
#include "runtime/runtime_catalog.h"

namespace cove {

struct LocalOptions {
  std::optional<std::string> interpreter;  // absolute; absent: the language profile's
  std::optional<std::vector<std::string>>
      arguments;                                     // before the program's path; absent: profile's
  std::optional<std::chrono::milliseconds> timeout;  // when the request has none; absent: policy's
};

// Runs TRUSTED programs as ordinary processes of this user: nothing is isolated, and the
// capabilities say so, so that a policy which asks for isolation is refused. What holds: the
// timeout, for the whole process tree however it daemonises, and the output caps. Thread-safe.
class LocalExecutor final : public CodeExecutor {
 public:
  explicit LocalExecutor(RuntimeCatalog catalog, LocalOptions options = {});

  using CodeExecutor::execute;
  std::string_view name() const override { return "local"; }
  BackendCapabilities capabilities() const override;
  bool supports_language(std::string_view language) const override;
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override;

 private:
  RuntimeCatalog catalog_;
  LocalOptions options_;
};

}  // namespace cove
