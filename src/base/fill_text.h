#pragma once
#include <span>
#include <string>
#include <string_view>

namespace cove {

// A placeholder, which is not empty, and what stands in its place.
struct Filling {
  std::string_view placeholder;
  std::string value;
};

// `text` with its placeholders filled, in one pass: what was put in is not looked at again, and
// what literal() marked stays as it is, without the marks.
std::string fill_text(std::string_view text, std::span<const Filling> fillings);

// A name that somebody gave, for a place in a text that is filled later. Between two NUL bytes,
// which no name has.
std::string literal(std::string_view name);

}  // namespace cove
