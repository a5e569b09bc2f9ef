#pragma once
#include <string>

#include "base/json.h"

namespace cove {

// JSON text on one line, as people expect it: 0.47, where the library's own serializer
// writes 4.7E-1. Numbers read back exactly; NaN and infinities, which JSON does not have, become
// null.
std::string write_json(const json::value& value);

}  // namespace cove
