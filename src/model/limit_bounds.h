#pragma once
#include <string>
#include <vector>

#include "model/limits.h"

namespace cove {

// What somebody else allows at most: an operator, say. Fields of `most` that are absent bound
// nothing.

// What is asked for, each figure lowered to the most; what is not asked for stays absent.
// `lowered`, if given, is told of each in words: "limits.memory is 256 MiB, the most here, not 4
// GiB".
Limits lower_limits(Limits limits, const Limits& most, std::vector<std::string>* lowered = nullptr);

// The same, and a default (ResolvedLimits) that is above the most is replaced by it.
Limits lower_with_defaults(Limits limits, const Limits& most);

}  // namespace cove
