#pragma once
#include <sys/types.h>

#include "base/unique_fd.h"

namespace cove {

// Opens one entry of a hostile directory: no link is followed, no mount crossed, no FIFO waited
// for. `name` holds no slash. On failure errno says why.
UniqueFd open_entry(int dirfd, const char* name, int flags, mode_t mode = 0);

// A program may take its own permission away (mode 000); the owner can give it back. Adds `bits` to
// the mode of a directory, or of a file with one name only: another could be one of the host's.
void restore_permission(int handle, mode_t bits);
void restore_permission(int dirfd, const char* name, mode_t bits);

// open_entry, with `bits` given back first if they are missing.
UniqueFd open_unsealed(int dirfd, const char* name, int flags, mode_t bits);

}  // namespace cove
