#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "executor/container/engine_command.h"

namespace cove {

// Removes the containers whose owners have ended. Says how many.
Result<int> sweep_containers(const EngineCommand& engine);

// A small process that removes the containers of `owner` when this process dies, in whatever way.
// Ended in order, it leaves without doing anything.
class ContainerWatchdog {
 public:
  static Result<ContainerWatchdog> start(const EngineCommand& engine, const std::string& owner);
  ContainerWatchdog(ContainerWatchdog&& other) noexcept;
  ContainerWatchdog& operator=(ContainerWatchdog&&) = delete;
  ContainerWatchdog(const ContainerWatchdog&) = delete;
  ContainerWatchdog& operator=(const ContainerWatchdog&) = delete;
  ~ContainerWatchdog();

 private:
  ContainerWatchdog() = default;

  pid_t pid_ = -1;
  UniqueFd line_;
};

}  // namespace cove
