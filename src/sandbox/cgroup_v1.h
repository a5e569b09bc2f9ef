#pragma once
#include "sandbox/cgroup.h"
#include "sandbox/cgroup_files.h"

namespace cove::sandbox {

// Memory, pids and cpu hierarchies of cgroup v1; null with a reason where one is not ours to use.
CgroupProbe probe_cgroup_v1(const std::vector<CgroupMount>& groups);

}  // namespace cove::sandbox
