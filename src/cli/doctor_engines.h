#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "executor/container/engine_facts.h"

namespace cove {

// A container engine of this host as `cove doctor` shows it.
struct EngineReport {
  std::string command;  // docker, podman
  Result<ContainerEngine> engine;
};

// Asks both; no container is started.
std::vector<EngineReport> examine_engines();

std::string engine_lines(const std::vector<EngineReport>& reports);
json::array engines_json(const std::vector<EngineReport>& reports);

// What `cove-net docker-facts` says of the engine that --backend docker would use: "ok", "host" and
// "reason", or "version", "runtime" and what a container there is held to.
json::object examine_docker();
std::string docker_lines(const json::object& report);

// The images of this user's store.
json::object examine_images();
std::string image_lines(const json::object& report);

}  // namespace cove
