#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cove {

// The lines of a compiler's output, one by one, without their ends.
class OutputLines {
 public:
  explicit OutputLines(std::string_view text) : rest_(text) {}

  // False at the end.
  bool next(std::string_view& line);
  // The line that next() would give.
  std::optional<std::string_view> peek() const;

 private:
  std::string_view rest_;
};

// "FILE:LINE:COLUMN: rest", as most compilers begin; the column may be missing (0).
struct OutputPlace {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string_view rest;  // what follows the last colon, without leading spaces
};
std::optional<OutputPlace> read_place(std::string_view line);

// A file's name without the detours that compilers print: "/usr/include/c++/12/map" for
// "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/map".
std::string plain_file_name(std::string_view name);

// Takes a number of at most 9 digits off the front.
std::optional<std::uint32_t> take_number(std::string_view& text);
// Takes `prefix` off the front, if it is there.
bool take_prefix(std::string_view& text, std::string_view prefix);

}  // namespace cove
