#pragma once
#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "base/json.h"
#include "base/result.h"

namespace cove {

struct JsonParseLimits {
  Bytes size = Bytes::mib(128);
  std::size_t depth = 64;
  // A parsed value takes several times the room of "0,": the size alone would not bound the memory.
  std::size_t values = 4'000'000;
};

// Strict JSON text to a value: one document, no duplicate keys (two readers could disagree about
// which one counts), bounded in size, depth and number of values. The error is an InvalidRequest
// that says where.
Result<json::value> parse_json(std::string_view text, const JsonParseLimits& limits = {});

}  // namespace cove
