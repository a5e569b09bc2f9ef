#pragma once
#include <string>
#include <vector>

namespace cove {

// `path` and every path that it leads to, link by link, the last of which is no link. Paths are
// made absolute, without `.` and `..`; a loop ends after 40 links, as in the kernel.
std::vector<std::string> symlink_chain(const std::string& path);

}  // namespace cove
