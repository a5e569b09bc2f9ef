#pragma once
#include <string>
#include <string_view>

namespace cove {

// Makes a guest's output harmless for a terminal. Newline, tab, carriage return and printable UTF-8
// pass; an escape becomes `^[`, other control characters `^G`, C1 controls `\x9B`, malformed UTF-8
// U+FFFD. A character cut between two chunks is kept until its rest arrives. One filter a stream.
class TerminalFilter {
 public:
  std::string filter(std::string_view chunk);
  // What is still held back at the end of the stream.
  std::string finish();

 private:
  std::string pending_;  // the start of a character whose rest has not come yet
};

}  // namespace cove
