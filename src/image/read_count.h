#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json_fields.h"
#include "base/result.h"

namespace cove {

// How many there are of something, in a file of the store; absent: none.
inline Result<> read_count(JsonFields& fields, std::string_view name, std::uint64_t& out) {
  std::optional<std::int64_t> value;
  COVE_TRY(fields.read(name, value));
  if (value && *value < 0) return fields.error(name, "must not be negative");
  out = static_cast<std::uint64_t>(value.value_or(0));
  return {};
}

}  // namespace cove
