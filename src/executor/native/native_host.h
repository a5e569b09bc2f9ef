#pragma once
#include <memory>
#include <string>

#include "model/capabilities.h"
#include "sandbox/cgroup.h"
#include "sandbox/id_pool.h"
#include "sandbox/spec.h"

namespace cove {

// What this host gives to native runs: found out once, shared by all runs of an executor.
struct NativeHost {
  sandbox::Level level = sandbox::Level::Namespaces;
  int landlock_abi = 0;
  sandbox::IdPool ids;
  sandbox::CgroupProbe cgroups;
  std::string data_dir;

  static Result<NativeHost> probe(const std::string& isolation);

  BackendCapabilities capabilities() const;
  bool has_cgroups() const { return cgroups.host != nullptr; }
};

}  // namespace cove
