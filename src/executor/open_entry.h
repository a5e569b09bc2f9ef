#pragma once
#include <sys/types.h>

#include "base/unique_fd.h"

namespace cove {

// Opens one entry of a hostile directory: no link is followed, no mount crossed, no FIFO waited
// for. `name` holds no slash. On failure errno says why.
UniqueFd open_entry(int dirfd, const char* name, int flags, mode_t mode = 0);

}  // namespace cove
