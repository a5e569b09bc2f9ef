#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cove {

// A place in the caller's source that a compiler speaks of.
struct DiagnosticSpan {
  std::string file_name;
  std::uint32_t line_start = 0;
  std::uint32_t line_end = 0;
  std::uint32_t column_start = 0;
  std::uint32_t column_end = 0;
  std::string text;
};

struct Diagnostic {
  std::string level;
  std::string message;
  std::optional<std::string> code;
  std::vector<DiagnosticSpan> spans;
};

}  // namespace cove
