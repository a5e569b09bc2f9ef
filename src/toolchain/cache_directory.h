#pragma once
#include <string>

#include "base/result.h"

namespace cove {

// A directory that belongs to this process's user alone: what is in it was written by Cove. Made
// where it is missing, with its parents. An existing one that others could write to, or that is
// somebody else's, is refused.
Result<> make_own_directory(const std::string& path);

// Where builds are kept: COVE_CACHE_DIR; as root /var/cache/cove; else cove/ in XDG_CACHE_HOME or
// ~/.cache. Empty: none of them is known.
std::string default_cache_directory();

// What is wrong with COVE_CACHE_DIR as it is written, so that it is not looked at; empty: nothing.
std::string cache_variable_problem();

}  // namespace cove
