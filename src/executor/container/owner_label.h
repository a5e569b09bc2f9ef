#pragma once
#include <string>
#include <string_view>

namespace cove {

// This process, as a label of what it owns: machine, boot, pid namespace, pid and start time, so
// that whoever reads it can tell whether the owner still lives. Letters, digits and "-" only: it is
// part of file names, too.
std::string owner_label();

// True only if the owner is known to be dead: the same machine, and either an earlier boot or the
// same pid namespace without that process. Anything else could be alive somewhere.
bool owner_is_dead(std::string_view label);

}  // namespace cove
