#include "executor/native/native_host.h"

#include <fmt/format.h>

#include "base/data_dir.h"
#include "sandbox/landlock.h"

namespace cove {

Result<NativeHost> NativeHost::probe(const std::string& isolation) {
  NativeHost host{.ids = sandbox::IdPool::for_this_process(),
                  .cgroups = sandbox::probe_cgroups(),
                  .data_dir = {}};
  if (isolation == "landlock") {
    host.level = sandbox::Level::Landlock;
  } else if (isolation != "namespaces") {
    return Err(Error::invalid_field(
        "isolation", fmt::format("must be namespaces or landlock, got {}", isolation)));
  }
  host.landlock_abi = sandbox::landlock_abi();
  if (host.level == sandbox::Level::Landlock && host.landlock_abi < 6) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("isolation landlock needs Landlock ABI 6 (Linux 6.12) for signals "
                                 "and abstract sockets; this kernel has {}",
                                 host.landlock_abi)));
  }
  COVE_ASSIGN(host.data_dir, cove::data_dir());
  return host;
}

Result<> NativeHost::use_image(ImageRoot root) {
  if (level != sandbox::Level::Namespaces) {
    return Err(
        Error(ErrorCode::UnsupportedPolicy,
              "an image's root file system needs isolation namespaces: at the landlock level "
              "a guest sees the host's own root"));
  }
  image = std::make_shared<const ImageRoot>(std::move(root));
  return {};
}

BackendCapabilities NativeHost::capabilities() const {
  const bool namespaces = level == sandbox::Level::Namespaces;
  BackendCapabilities able;
  able.backend = image ? "image:" + image->name : "native";
  able.isolation = namespaces ? "namespaces" : "landlock";
  able.network = able.filesystem = able.environment = able.timeout = able.output_caps = true;
  able.interactive = true;
  able.warm = namespaces;
  able.descriptors = true;
  able.disk = namespaces ? LimitReach::Tree : LimitReach::None;
  if (has_cgroups()) {
    able.memory = able.processes = able.cpu = LimitReach::Tree;
  } else {
    able.memory = able.cpu = LimitReach::PerProcess;
    // A guest's own user namespace counts for it alone; without one the user's count is shared.
    able.processes = namespaces ? LimitReach::Tree : LimitReach::PerUser;
    able.notes.push_back("no control group: " + cgroups.reason);
    able.notes.emplace_back(
        "memory that was filled and then made read-only is not counted without a control group");
  }
  if (namespaces && landlock_abi >= 6) {
    able.notes.emplace_back(
        "warm guests can see the names of abstract sockets of their siblings, though not use them");
  }
  if (!namespaces) {
    able.notes.emplace_back("the guest can learn which host paths exist, though not read them");
    able.notes.emplace_back("disk use is not bounded: only the size of each file is");
    if (!ids.can_change_ids() && !has_cgroups()) able.processes = LimitReach::None;
  }
  if (landlock_abi == 0)
    able.notes.emplace_back("no Landlock: one layer behind the mounts is missing");
  return able;
}

}  // namespace cove
