#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace cove {

enum class EngineKind : unsigned char { Docker, Podman };
const char* name_of(EngineKind kind);

// The command of a container engine.
struct EngineCommand {
  EngineKind kind = EngineKind::Docker;
  std::string path;  // absolute
};

struct EngineAnswer {
  int exit_code = -1;
  std::string out;
  std::string err;

  // What it complained about, in one line.
  std::string reason() const;
};

// Runs the command to its end; it is killed when it takes longer.
Result<EngineAnswer> ask_engine(const std::string& path, const std::vector<std::string>& words,
                                std::chrono::milliseconds patience = std::chrono::seconds(10));

// Kills it first: podman would otherwise give a program ten seconds to end by itself.
Result<> remove_container(const std::string& path, const std::string& name);

// The absolute path of `command`, which is a name to be looked for on PATH, or a path.
Result<std::string> find_engine_command(const std::string& command);

// The variables of this process: what a client needs to find its engine and its configuration.
std::vector<std::string> own_environment();

}  // namespace cove
