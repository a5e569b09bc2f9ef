#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/json_fields.h"
#include "base/result.h"

namespace cove {

// What the codecs of results share.

double milliseconds_of(std::chrono::microseconds time);

// A time in milliseconds; one that is absent leaves `out` as it was.
Result<> read_time(JsonFields& fields, std::string_view name, std::chrono::microseconds& out);

// What a backend may not know.
Result<> read_optional_time(JsonFields& fields, std::string_view name,
                            std::optional<std::chrono::microseconds>& out);
Result<> read_optional_bytes(JsonFields& fields, std::string_view name, std::optional<Bytes>& out);

// A line, column or count.
Result<> read_number(JsonFields& fields, std::string_view name, std::uint32_t& out);

// A list that is missing is an empty one. `decode` takes an element and its path.
template <class Item, class Decode>
Result<> read_list(JsonFields& fields, std::string_view name, std::vector<Item>& out,
                   Decode decode) {
  const json::value* value = fields.find(name);
  if (value == nullptr) return {};
  const std::string path = fields.path_of(name);
  COVE_ASSIGN(const json::array* array, json_array(*value, path));
  for (const json::value& element : *array) {
    COVE_ASSIGN(Item item, decode(element, path + "[" + std::to_string(out.size()) + "]"));
    out.push_back(std::move(item));
  }
  return {};
}

}  // namespace cove
