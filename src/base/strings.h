#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cove {

// How many bytes the well-formed UTF-8 character at the start of `text` takes; 0 if there is none
// (empty, malformed, overlong, a surrogate, beyond U+10FFFF, cut off).
std::size_t utf8_character_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// `text` with each malformed sequence replaced by U+FFFD, as JSON needs it. A sequence that starts
// well and breaks off gives one U+FFFD, not one a byte.
std::string sanitize_utf8(std::string_view text);

// The longest length <= `limit` at which `text` can be cut without splitting a UTF-8 character.
// Bytes that are not UTF-8 at all can be cut anywhere.
std::size_t utf8_cut(std::string_view text, std::size_t limit);

// A file name that is safe to print and to put in JSON: control characters, malformed UTF-8,
// characters that reorder a line and the backslash itself become \xNN, byte by byte, so that two
// different names never look the same.
std::string escape_file_name(std::string_view name);

// A caller's text inside a message: in double quotes, escaped like a file name, shortened.
std::string quoted(std::string_view text);
// For a std::string, argument-dependent lookup would otherwise prefer std::quoted from <iomanip>,
// which <filesystem> brings along.
inline std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(const char* text) {
  return quoted(std::string_view(text));
}

std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view trim(std::string_view text);

}  // namespace cove
