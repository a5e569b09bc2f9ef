#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "executor/container/engine_command.h"

namespace cove {

// A label's value that names this process and no other: boot, pid namespace, pid, start time.
std::string own_owner_label();

// Whether the process that a label names has ended. False for one that cannot be judged from here:
// another boot, another pid namespace, another host.
bool owner_has_ended(std::string_view label);

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
