#pragma once
#include <string>

namespace cove {

// Removes a directory with everything in it, whatever modes, depth or links a program left there.
// Nobody may be changing it meanwhile. Links are removed, never followed.
void remove_tree(const std::string& path);

}  // namespace cove
