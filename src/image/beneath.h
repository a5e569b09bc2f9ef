#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// Opens a directory below `root` as a process would whose / it is: links are followed, and lead
// nowhere else, whatever they say; no mount is crossed. "" is the root itself. On failure errno
// says why.
UniqueFd open_directory_in_root(int root, const std::string& path);

// One entry of a directory, itself: never what a link leads to. `name` holds no slash.
UniqueFd open_directory_entry(int directory, const std::string& name);

// Removes an entry with all that is below it, if it is there. Links are removed, never followed.
Result<> remove_entry(int directory, const std::string& name);
// Removes everything in a directory.
Result<> remove_entries(int directory);

}  // namespace cove
