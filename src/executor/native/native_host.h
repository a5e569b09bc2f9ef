#pragma once
#include <memory>
#include <string>

#include "image/image_root.h"
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
  // The root file system that guests get instead of the host's programs; null: none.
  std::shared_ptr<const ImageRoot> image = nullptr;

  static Result<NativeHost> probe(const std::string& isolation);
  // Guests run in this image from now on. Refused at the landlock level.
  Result<> use_image(ImageRoot root);

  BackendCapabilities capabilities() const;
  bool has_cgroups() const { return cgroups.host != nullptr; }
};

}  // namespace cove
