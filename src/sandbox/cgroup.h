#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cove::sandbox {

struct CgroupLimits {
  std::uint64_t memory_bytes = 0;
  std::uint32_t processes = 0;
  double cpus = 1.0;

  bool operator==(const CgroupLimits&) const = default;
};

// What a group has been through since its last reset.
struct CgroupUsage {
  std::uint64_t oom_kills = 0;
  std::uint64_t refused_forks = 0;
  std::chrono::microseconds cpu{0};
  std::uint64_t peak_bytes = 0;
};

// One guest's control group, v1 or v2. Removed on destruction; it must be empty by then.
class Cgroup {
 public:
  virtual ~Cgroup() = default;
  virtual Result<> set_limits(const CgroupLimits& limits) = 0;
  // Files through which a process puts itself into the group by writing "0". A process that moves
  // itself need not wait for all others, as it must when somebody else moves it: that can take as
  // long as an RCU grace period, ten milliseconds and more.
  virtual std::vector<int> join_fds() const = 0;
  // Puts somebody else's process in; see above for what that may cost.
  virtual Result<> move_in(pid_t pid) = 0;
  // Ends every member, also of a group that keeps forking; true once none is left. The group can
  // start no process any more until its limits are set anew.
  virtual bool kill_members(std::chrono::milliseconds patience) = 0;
  virtual std::uint64_t memory_in_use() const = 0;
  virtual CgroupUsage usage() const = 0;
  // Readable when the group ran out of memory; -1 where the kernel ends the whole group by itself.
  virtual int oom_event_fd() const = 0;
  // Forgets what usage() told so far, for the next guest.
  virtual void reset() = 0;
  virtual bool is_empty() const = 0;
};

// Where groups can be made on this host: below the Cove process's own.
class CgroupHost {
 public:
  virtual ~CgroupHost() = default;
  virtual std::string_view version() const = 0;  // "v1", "v2"
  virtual Result<std::unique_ptr<Cgroup>> create() = 0;
};

struct CgroupProbe {
  std::unique_ptr<CgroupHost> host;  // null: none can be made
  std::string reason;                // why not, and what to do
};

// Looks for a hierarchy that this process may use, and removes what dead predecessors left in it.
CgroupProbe probe_cgroups();

}  // namespace cove::sandbox
