#include "toolchain/diagnostics/output_lines.h"

#include <algorithm>
#include <filesystem>

namespace cove {

bool OutputLines::next(std::string_view& line) {
  const auto here = peek();
  if (!here) return false;
  line = *here;
  const auto end = rest_.find('\n');
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  return true;
}

std::optional<std::string_view> OutputLines::peek() const {
  if (rest_.empty()) return std::nullopt;
  std::string_view line = rest_.substr(0, std::min(rest_.find('\n'), rest_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string plain_file_name(std::string_view name) {
  return std::filesystem::path(name).lexically_normal().string();
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == 9) return std::nullopt;
    number = (number * 10) + static_cast<std::uint32_t>(text[digits] - '0');
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<OutputPlace> read_place(std::string_view line) {
  // A file's name may itself hold a colon; the first colon with a number and another behind it ends
  // it.
  for (auto colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon + 1);
    const auto number = take_number(rest);
    if (colon == 0 || !number || !take_prefix(rest, ":")) continue;
    OutputPlace place{line.substr(0, colon), *number, 0, rest};
    if (const auto column = take_number(rest); column && take_prefix(rest, ":")) {
      place.column = *column;
      place.rest = rest;
    }
    while (take_prefix(place.rest, " ")) {
    }
    take_prefix(place.file, "./");
    if (place.file.empty()) return std::nullopt;
    return place;
  }
  return std::nullopt;
}

}  // namespace cove
