#pragma once
#include <string>
#include <vector>

namespace cove {

// How far a limit reaches on this host.
enum class LimitReach : unsigned char { None, PerProcess, PerUser, Tree };

// What a backend enforces, here and now. A missing kernel facility lowers this report; it never
// lowers what a policy means.
struct BackendCapabilities {
  std::string backend;    // "native", "local"
  std::string isolation;  // "namespaces", "landlock", "none"
  bool network = false;   // can deny the network
  bool filesystem = false;
  bool environment = false;
  bool timeout = false;
  LimitReach memory = LimitReach::None;
  LimitReach processes = LimitReach::None;
  LimitReach cpu = LimitReach::None;
  LimitReach disk = LimitReach::None;
  bool descriptors = false;  // can limit open files
  bool output_caps = false;
  bool interactive = false;  // takes input and signals while a program runs, and gives a terminal
  bool warm = false;
  // Network, host paths, memory, processors and disk are each request's. Otherwise they were
  // settled when the backend started, and a request for others is refused.
  bool per_request = true;
  std::vector<std::string> notes;  // what is missing and why, one sentence each
};

}  // namespace cove
