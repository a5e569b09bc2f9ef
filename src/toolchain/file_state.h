#pragma once
#include <string>

namespace cove {

// What tells one state of a file from another without reading it: where its links lead, inode, size
// and time. Asking a compiler for its version would start it with each run, and tell less. Of a
// directory it changes when an entry comes or goes. A path where nothing is has a state, too.
std::string file_state(const std::string& path);

}  // namespace cove
