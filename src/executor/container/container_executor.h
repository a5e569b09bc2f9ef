#pragma once
#include <memory>
#include <string>
#include <vector>

#include "executor/code_executor.h"
#include "executor/container/container_options.h"
#include "executor/container/engine_facts.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// Runs each program in a container of its own, made by the command of Docker or Podman: hardened by
// default, removed at the end, killed by name on timeout and cancel, and removed also when this
// process dies. Languages come from the [container] table of their profiles. Thread-safe.
class ContainerExecutor final : public CodeExecutor {
 public:
  // Asks the engine what it can do; BackendUnavailable when none answers.
  static Result<std::unique_ptr<ContainerExecutor>> create(RuntimeCatalog catalog,
                                                           ContainerOptions options = {});
  ~ContainerExecutor() override;

  using CodeExecutor::execute;
  std::string_view name() const override { return "container"; }
  BackendCapabilities capabilities() const override;
  bool supports_language(std::string_view language) const override;
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override;

  Result<> start() override;
  Result<> stop() override;
  std::vector<PoolReport> pool_report() const override;

  // The words after the engine's command for this request, as execute() would use them: for tests
  // that assert what a container is held to. Directories of a run that are not there yet are named
  // WORKSPACE and PROGRAM. Starts nothing.
  Result<std::vector<std::string>> build_run_args(const ExecutionRequest& request) const;

  // What only this backend can find wrong with a policy: a path that does not exist, say.
  Result<> check_policy(const SandboxPolicy& policy) const;

  const ContainerEngine& engine() const;
  // Waits until the pool has all its containers; false when it does not in that time.
  bool wait_until_warm(std::chrono::milliseconds patience);

 private:
  struct Impl;
  explicit ContainerExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cove
