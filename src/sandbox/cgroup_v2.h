#pragma once
#include "sandbox/cgroup.h"
#include "sandbox/cgroup_files.h"

namespace cove::sandbox {

// The group of this directory, which is made unless it is there.
Result<std::unique_ptr<Cgroup>> make_group_v2(const std::string& path);

// The unified hierarchy; null with a reason where its controllers are not ours to use.
CgroupProbe probe_cgroup_v2(const std::vector<CgroupMount>& groups);

}  // namespace cove::sandbox
