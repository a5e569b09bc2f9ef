#pragma once
#include <string>
#include <string_view>

namespace cove {

// `prefix` and 20 characters of lower-case base32 from the kernel's random generator (100 bits):
// "exec_" gives "exec_4k7m…". Not guessable; safe in file names and URLs.
std::string random_id(std::string_view prefix);

}  // namespace cove
