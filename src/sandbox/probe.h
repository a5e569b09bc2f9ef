#pragma once
#include <string>

namespace cove::sandbox {

// What this host can do, found out by trying it.
struct HostFacts {
  std::string kernel;
  bool is_root = false;
  bool user_namespaces = false;  // a whole sandbox could be set up
  std::string user_namespaces_reason;
  bool mount_proc = false;
  std::string mount_proc_reason;
  int landlock_abi = 0;
  bool seccomp = false;
  std::string cgroup = "none";  // "v1", "v2"
  std::string cgroup_reason;
};

// Sets up and ends one empty sandbox: a few milliseconds.
HostFacts probe_host();

}  // namespace cove::sandbox
