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

// For a program that links an installed package: where that lies, if not in the prefix that the
// library was built for. The CMake package defines COVE_PACKAGE_DATA_DIR, and so nobody has to call
// this; it is looked at last. Not to be called while threads run.
void set_package_data_dir(std::string path);
#ifdef COVE_PACKAGE_DATA_DIR
inline const bool kPackageDataDirIsSet = (set_package_data_dir(COVE_PACKAGE_DATA_DIR), true);
#endif

// The first candidate that holds profiles. COVE_DATA_DIR, when set, is the only one.
Result<std::string> data_dir();

}  // namespace cove
