#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/limits.h"

namespace cove {

// `None` / `Disabled` mean *deny*: a backend that cannot deny refuses. `Unrestricted` means that
// nothing is asked.
enum class NetworkPolicy : unsigned char { Disabled, Enabled, Unrestricted };

struct FilesystemPolicy {
  enum class Kind : unsigned char {
    None,                // no host path but the runtime's own files
    WorkspaceReadOnly,   // `root` is the working directory, read-only
    WorkspaceReadWrite,  // `root` is the working directory, writable on the host
    Paths,               // the host paths listed, at the same place inside
    Unrestricted,
  };
  Kind kind = Kind::None;
  std::string root;
  std::vector<std::string> read_only;
  std::vector<std::string> read_write;
};

// Governs variables inherited from the host; a request's own `env` is data and is passed.
struct EnvironmentPolicy {
  enum class Kind : unsigned char { None, AllowList, Unrestricted };
  Kind kind = Kind::None;
  std::vector<std::string> names;
};

// What a run must be held to. Plain data; `policy/validate.h` decides whether a backend can.
struct SandboxPolicy {
  std::string name = "strict";
  std::string description;  // one line, for people
  NetworkPolicy network = NetworkPolicy::Disabled;
  FilesystemPolicy filesystem;
  EnvironmentPolicy environment;
  std::chrono::milliseconds timeout{30'000};
  Limits limits;
  std::optional<std::string> working_directory;  // a path inside the sandbox below /workspace
};

}  // namespace cove
