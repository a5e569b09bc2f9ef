#pragma once
#include <string>

#include "base/unique_fd.h"

namespace cove {

// Opens a path as a process would whose / is the directory `root`: links are followed, and lead
// nowhere else, whatever they say; no mount is crossed, nothing of /proc is entered. "" is the root
// itself. On failure errno says why; ENOSYS before Linux 5.6, where there is no safe way.
UniqueFd open_in_root(int root, const std::string& path, int flags);

}  // namespace cove
