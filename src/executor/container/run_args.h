#pragma once
#include <string>
#include <vector>

#include "executor/container/container_options.h"
#include "executor/container/engine_command.h"
#include "model/limits.h"

namespace cove {

// A directory or file of the host that a container sees.
struct ContainerMount {
  std::string source;
  std::string target;
  bool writable = false;
};

// One container, decided.
struct ContainerRun {
  std::string name;
  std::string image;
  std::vector<std::string> argv;
  ResolvedLimits limits;
  bool network = false;  // the policy allows one
  std::vector<ContainerMount> mounts;
  std::vector<std::string> env;  // NAME: the value is in the client's environment; or NAME=VALUE
  std::string working_directory;
  std::string owner;  // label: which process of which host it belongs to
};

inline constexpr const char* kOwnerLabel = "cove.owner";

// The words after `docker` or `podman`: run, the flags, the image and the program's own words. Code
// is never among them.
std::vector<std::string> build_run_args(const ContainerOptions& options, EngineKind kind,
                                        const ContainerRun& run);

// Options that only name or describe a container. Any other word among the extra ones can undo what
// the rest of the flags promise.
bool is_harmless_extra(const std::vector<std::string>& extra_args);

}  // namespace cove
