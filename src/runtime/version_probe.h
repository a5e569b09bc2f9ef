#pragma once
#include <string>

#include "base/result.h"
#include "runtime/language_profile.h"

namespace cove {

// Asks the interpreter for its version: starts it on the host with the profile's `version_args`,
// for at most 3 s, and takes the first line that it prints. For lists that people read, not for
// runs.
Result<std::string> probe_version(const Runtime& runtime);

}  // namespace cove
