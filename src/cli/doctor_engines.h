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

// Asks both; nothing is started.
std::vector<EngineReport> examine_engines();

std::string engine_lines(const std::vector<EngineReport>& reports);
json::array engines_json(const std::vector<EngineReport>& reports);

}  // namespace cove
