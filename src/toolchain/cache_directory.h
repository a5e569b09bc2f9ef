#pragma once
#include <string>

#include "base/result.h"

namespace cove {

// A directory that belongs to this process's user alone: what is in it was written by Cove. Made
// where it is missing, with its parents. An existing one that others could write to, or that is
// somebody else's, is refused.
Result<> make_own_directory(const std::string& path);

// Whether nobody but root and this process's user can put something else in the place of a
// directory: the owners and modes of all that it lies in. /tmp, where everybody may write but only
// move what is one's own, is good enough. `path` is one without links: what is a link today may be
// another tomorrow. Errors say which directory, and what is wrong with it.
Result<> check_parents(const std::string& path);

// Where builds are kept: COVE_CACHE_DIR; as root /var/cache/cove; else cove/ in XDG_CACHE_HOME or
// ~/.cache. Empty: none of them is known.
std::string default_cache_directory();

// What is wrong with COVE_CACHE_DIR as it is written, so that it is not looked at; empty: nothing.
std::string cache_variable_problem();

}  // namespace cove
