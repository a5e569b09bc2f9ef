#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cove {

// The `docker run` that Cove is measured against: one locked-down container for one program.
std::vector<std::string> docker_run_command(const std::string& image, std::string_view program);

struct DockerTarget {
  std::string version;  // of the engine
  std::string image;    // one with python3 that the engine has
};

// The image is `wanted`, or, when that is empty, the first of those that are known. The error says
// in one line why the row cannot be measured: no docker command, no engine that answers
// (DOCKER_HOST counts), or no such image. Nothing is pulled.
Result<DockerTarget> find_docker_target(const std::string& wanted);

}  // namespace cove
