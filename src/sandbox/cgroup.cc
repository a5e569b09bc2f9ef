#include "sandbox/cgroup.h"

#include "sandbox/cgroup_v1.h"
#include "sandbox/cgroup_v2.h"

namespace cove::sandbox {

CgroupProbe probe_cgroups() {
  const auto groups = own_groups();
  CgroupProbe unified = probe_cgroup_v2(groups);
  if (unified.host) return unified;
  CgroupProbe legacy = probe_cgroup_v1(groups);
  if (legacy.host) return legacy;
  return {nullptr, unified.reason + "; " + legacy.reason};
}

}  // namespace cove::sandbox
