#pragma once
#include <string>

#include "base/result.h"

namespace cove {

// A file below guest/ of Cove's data: of a harness, or what [compile] or [check] prepares with.
Result<std::string> read_guest_file(const std::string& name);

}  // namespace cove
