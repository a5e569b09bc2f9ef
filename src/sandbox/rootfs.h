#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sandbox/setup_plan.h"
#include "sandbox/spec.h"

namespace cove::sandbox {

// Where the private tmpfs of a guest is mounted before its parts are bound to their places. It
// stays there (an unmount waits for an RCU grace period), behind a directory that no guest can
// enter.
inline constexpr const char* kScratchGate = "run/cove/private";
inline constexpr const char* kScratchPath = "run/cove/private/scratch";

// True for a path that a guest's private directories (/tmp, /workspace, …) would hide.
bool is_covered_by_scratch(const std::string& target);

// How one host path gets into the sandbox: as a link of its own, as a copy, or as a mount.
struct Placement {
  const HostMount* mount = nullptr;
  std::optional<std::string> link;  // a symlink such as /bin -> usr/bin is made anew
  std::optional<std::string> copy;  // a small file of /etc: cheaper than a mount
  bool directory = false;
};
// Looks at the host once. What is optional and absent is left out.
std::vector<Placement> place_mounts(const SandboxSpec& spec);

// Copies of the host mounts, opened while the process still has the rights of the Cove process.
void add_open_trees(SetupPlan& plan, const std::vector<Placement>& placements);

// A read-only root on a tmpfs with only what `spec.mounts` names, a minimal /dev and /etc.
// Leaves the current directory at the new root, before pivoting.
void add_root(SetupPlan& plan, const SandboxSpec& spec, const std::vector<Placement>& placements);

// One size-limited tmpfs holds /workspace, /tmp, /dev/shm and the program at /code, so that they
// share one budget. Paths are relative to the current directory (`prefix` "") or absolute ("/").
struct ScratchOwner {
  bool told_by_zygote = false;
  bool change = false;
};
void add_scratch(SetupPlan& plan, const SandboxSpec& spec, const std::string& prefix,
                 const ScratchOwner& owner);

// Mounts that must lie on top of the scratch directories. Before pivoting.
void add_covered_mounts(SetupPlan& plan, const std::vector<Placement>& placements);

// Covers what /proc says too much about the host. After pivoting, when what covers it is read-only.
void add_proc_masks(SetupPlan& plan);

// Makes the current directory the root, read-only.
void add_pivot(SetupPlan& plan);

}  // namespace cove::sandbox
