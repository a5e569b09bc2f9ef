#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cove {

// A place where Cove's data (profiles/, policies/, guest/) may lie, and why it is looked at.
struct DataDirCandidate {
  std::string path;
  std::string_view reason;
};

// The places to look, best first, for a process whose executable is `executable`:
// <exe>/../share/cove, the install prefix, and the source tree, this one only for programs of the
// build tree: an installed command must not trust a directory that somebody may have left behind.
std::vector<DataDirCandidate> data_dir_candidates(const std::string& executable);

// The first candidate that holds profiles. COVE_DATA_DIR, when set, is the only one.
Result<std::string> data_dir();

}  // namespace cove
