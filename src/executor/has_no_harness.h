#pragma once
#include <string>

#include "base/result.h"

namespace cove {

// What is said of `input` in a language whose programs are run as they are: who has a harness, and
// what else to do.
Error has_no_harness(const std::string& language);

}  // namespace cove
