#pragma once
#include <string_view>

namespace cove {

// The OpenAPI 3.1 document, src/api/openapi.json.
std::string_view openapi_document();

}  // namespace cove
