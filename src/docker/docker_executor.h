#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "docker/docker_host.h"
#include "docker/docker_options.h"
#include "executor/code_executor.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// Runs programs in one container that stays, over the Docker Engine API. Each execution has a
// directory and a user of its own in it, and is ended with everything that it started; the
// container remains usable. What a request asks for and the container does not have is refused.
//
// start() creates the container, stop() ends it (and removes it, with auto_remove), cleanup()
// removes it in any case; so does the destructor, and so does the end of this process. Containers
// that a dead process of this machine left are swept by start(). Thread-safe.
class DockerExecutor final : public CodeExecutor {
 public:
  // Fails when no engine answers. Starts nothing yet.
  static Result<std::unique_ptr<DockerExecutor>> create(RuntimeCatalog catalog,
                                                        DockerOptions options, DockerHost host);
  // The same with the engine of the environment: see find_docker_host().
  static Result<std::unique_ptr<DockerExecutor>> create(RuntimeCatalog catalog,
                                                        DockerOptions options);
  ~DockerExecutor() override;

  using CodeExecutor::execute;
  std::string_view name() const override { return "docker"; }
  BackendCapabilities capabilities() const override;
  // Known here; whether the image has it shows when it is run.
  bool supports_language(std::string_view language) const override;
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override;
  Result<> start() override;
  Result<> stop() override;
  bool is_running() const override;
  Result<> cleanup() override;

  const DockerOptions& options() const;
  // Empty when there is none.
  std::string container_id() const;

 private:
  struct Impl;
  explicit DockerExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cove
