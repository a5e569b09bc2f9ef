#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace cove {

// Waiting containers: see container_pool.h.
struct ContainerPoolOptions {
  std::size_t size = 0;                // of each language; 0: every run starts its container
  std::vector<std::string> languages;  // those that wait from start() on
};

// How containers are made. Every default is the hardened one; a field that loosens it says so, and
// what was loosened shows in capabilities().
struct ContainerOptions {
  std::string engine;   // "docker", "podman" or a path; empty: the first that answers
  std::string image;    // for every language; empty: what its profile says
  std::string runtime;  // runsc, kata, …; empty: the engine's default
  bool pull = false;    // a missing image is pulled instead of reported

  // Loosening.
  bool read_only_root = true;     // false: programs may write to the image's files
  bool drop_capabilities = true;  // false: the engine's default set stays
  bool no_new_privileges = true;  // false: set-uid programs work
  std::string user = "65534:65534";
  Bytes tmp_size = Bytes::mib(64);
  std::string network;  // for policies that allow one; empty: the engine's default network
  bool offline = true;  // false: that network also where a policy would have none
  std::vector<std::string> extra_args;  // before the image; nothing is vouched for then

  // The engine's small init is process 1, so that signals and orphans are as anywhere else.
  bool init = true;
  std::optional<std::chrono::milliseconds> timeout;  // when the request has none; absent: policy's
  std::chrono::milliseconds start_timeout{60'000};   // until the engine has started a container
  ContainerPoolOptions pool;
};

}  // namespace cove
