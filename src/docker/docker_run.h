#pragma once
#include <cstdint>
#include <functional>

#include "base/result.h"
#include "docker/docker_container.h"
#include "docker/docker_options.h"
#include "docker/engine_api.h"
#include "executor/code_executor.h"
#include "runtime/language_profile.h"

namespace cove {

// Where and as whom one execution runs.
struct DockerPlace {
  EngineApi& api;
  DockerContainer& container;
  const DockerOptions& options;
  std::uint32_t uid = 0;  // and gid: nobody else in the container has it
  // Asked at the end: no other execution was in the container at any time of this one.
  std::function<bool()> was_alone;
};

// One program in a container that is there: puts its files in, runs it, ends all of it, collects
// what it left, removes that. The request was checked. An error means that nothing can be said
// about the program; the container was removed if something of the program might still be in it.
Result<ExecutionResult> run_in_container(const DockerPlace& place, const LanguageProfile& profile,
                                         const ExecutionRequest& request,
                                         const ExecutionContext& context);

}  // namespace cove
