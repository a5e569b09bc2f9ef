#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "executor/container/container_options.h"
#include "executor/container/engine_facts.h"
#include "executor/container/run_args.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"

namespace cove {

// What a request becomes: the container, and what its client is given. The directories that hold
// its files are added to `run.mounts` when they exist.
struct ContainerPlan {
  ContainerRun run;
  LanguageProfile profile;
  bool code_on_stdin = false;           // else it is a file below /code
  bool own_workspace = true;            // else the policy names a directory of the host
  std::vector<std::string> client_env;  // "NAME=value"
  // For a container that waits already: the words when the program is a file, and the variables.
  std::vector<std::string> file_argv;
  std::vector<std::pair<std::string, std::string>> variables;
};

// Everything that can be refused is refused here, before anything runs.
Result<ContainerPlan> plan_container(const LanguageProfile& profile,
                                     const ContainerOptions& options,
                                     const ExecutionRequest& request);

// Whether this language can run in a container with these options.
bool has_container(const LanguageProfile& profile, const ContainerOptions& options);

// Variables that the engine's client reads itself: one of a request must never reach it that way.
bool is_client_variable(std::string_view name);

// Options that would be read as other words of the command line.
Result<> check_container_options(const ContainerOptions& options);

}  // namespace cove
