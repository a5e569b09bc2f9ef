#pragma once
#include <string>
#include <string_view>

namespace cove {

// A source without its comments and with empty strings, each run of space one space: what is left
// are the words of the program. `syntax` is that of a harness: "c" (also C++), "go", "java" or
// "rust".
std::string source_words(std::string_view source, std::string_view syntax);

// The same text with spaces in place of comments and literals: every place is where it was.
std::string blank_literals(std::string_view source, std::string_view syntax);

// Whether `words` (of source_words) has `text` between word boundaries; space around symbols does
// not matter.
bool has_words(std::string_view words, std::string_view text);

}  // namespace cove
