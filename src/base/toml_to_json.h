#pragma once
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace cove {

// A TOML document as a JSON object, so that a file and a request are read by the same strict code.
// Dates and times are refused: nothing in Cove has one. `source` names the file in the error, which
// says the line and column.
Result<json::object> toml_to_json(std::string_view text, std::string_view source);

}  // namespace cove
