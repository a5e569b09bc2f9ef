#pragma once
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace cove {

// The whole content of a file, or of our stdin for "-". Regular files, pipes and devices alike;
// refused past `limit`. The error names the file.
Result<std::string> read_input(const std::string& path, Bytes limit);

}  // namespace cove
