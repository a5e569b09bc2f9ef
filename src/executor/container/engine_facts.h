#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/container/container_options.h"
#include "executor/container/engine_command.h"
#include "model/capabilities.h"

namespace cove {

// What an engine says of itself.
struct EngineFacts {
  EngineKind kind = EngineKind::Docker;
  std::string version;
  std::string default_runtime;
  std::vector<std::string> runtimes;
  std::string cgroup_version;
  bool rootless = false;
  bool shifts_ids = false;  // users of containers are other users of the host
  bool seccomp = false;
  bool memory_limit = false;
  bool process_limit = false;
  bool cpu_limit = false;
};

// From the JSON of `docker info` or `podman info`.
Result<EngineFacts> parse_engine_info(std::string_view text);

struct ContainerEngine {
  EngineCommand command;
  EngineFacts facts;
};

// The engine that is wanted ("docker", "podman", a path); empty: the first of docker and podman
// that answers. The error says of each why not.
Result<ContainerEngine> find_engine(const std::string& wanted);

// What containers of this engine are held to, made with these options.
BackendCapabilities container_capabilities(const EngineFacts& facts,
                                           const ContainerOptions& options);

}  // namespace cove
