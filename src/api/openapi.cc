#include "api/openapi.h"

#include <cstddef>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): symbols of openapi_blob.S
extern const char cove_openapi_begin[];
extern const char cove_openapi_end[];
// NOLINTEND(readability-identifier-naming)
}

namespace cove {

std::string_view openapi_document() {
  return {cove_openapi_begin, static_cast<std::size_t>(cove_openapi_end - cove_openapi_begin)};
}

}  // namespace cove
