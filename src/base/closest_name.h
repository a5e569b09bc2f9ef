#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cove {

// The name that somebody who wrote `wrong` most likely meant; empty when none is near: a letter
// wrong, missing, too many or swapped with its neighbour, one in each three and at most three.
std::string closest_name(std::string_view wrong, const std::vector<std::string>& names);

// "; did you mean NAME?", or nothing: the end of a message about an unknown name.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace cove
