#pragma once
#include <cstdint>

#include "base/result.h"

namespace cove {

// Copies what is in the directory `from` into the directory `to`: directories, regular files, and
// links as links. Pipes, sockets and devices are left out. The source is hostile and may change
// meanwhile: no link is followed, no mount crossed, and the walk is bounded in entries and depth.
// What is made belongs to `owner`, where the process may choose that.
struct FileOwner {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};
Result<> copy_tree(int from, int to, FileOwner owner);

// Removes everything in a directory, and leaves the directory itself. Links are removed, never
// followed.
Result<> clear_directory(int directory);

}  // namespace cove
