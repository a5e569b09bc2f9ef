#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace cove {

// Reading JSON that a compiler printed about a hostile program: what is missing or of another type
// is empty, never an error.

// Deeper than our own documents may be: rustc nests the expansions of a recursive macro.
std::optional<json::value> parse_untrusted(std::string_view text);

const json::value* value_at(const json::value& object, std::string_view name);  // null: none
std::string text_at(const json::value& object, std::string_view name);
std::uint32_t number_at(const json::value& object, std::string_view name);
bool bool_at(const json::value& object, std::string_view name);
const json::array& list_at(const json::value& object, std::string_view name);

}  // namespace cove
