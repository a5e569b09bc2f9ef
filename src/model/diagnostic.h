#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cove {

// One line of the source that a span covers, with the part that is meant: characters
// [highlight_start, highlight_end), counted from 1.
struct DiagnosticLine {
  std::string text;
  std::uint32_t highlight_start = 0;
  std::uint32_t highlight_end = 0;
};

// A place in the caller's source that a compiler speaks of. Lines and columns count from 1, columns
// in characters; column_end is one past the last. A column of 0 is one that the compiler did not
// say.
struct DiagnosticSpan {
  std::string file_name;
  std::uint32_t line_start = 0;
  std::uint32_t line_end = 0;
  std::uint32_t column_start = 0;
  std::uint32_t column_end = 0;
  bool is_primary = true;  // the place itself; others explain it
  std::string label;       // what the compiler says about this place
  std::vector<DiagnosticLine> text;
};

// The label of a place of the program that led to an error in a header.
inline constexpr std::string_view kRequiredFromHere = "required from here";

// What a compiler adds: where something was declared, say.
struct DiagnosticNote {
  std::string level;  // "note" or "help"
  std::string message;
  std::vector<DiagnosticSpan> spans;
};

// Replacing the span's text by `replacement` is what the compiler proposes.
struct DiagnosticSuggestion {
  std::string message;
  DiagnosticSpan span;
  std::string replacement;
};

// One thing that a compiler has to say, in the same shape for all of them.
struct Diagnostic {
  std::string level;  // "error", "warning", "note" or "help"
  std::string message;
  std::optional<std::string> code;  // "E0308", "-Wunused-variable", "TS2322"
  std::vector<DiagnosticSpan> spans;
  std::vector<DiagnosticNote> notes;
  std::vector<DiagnosticSuggestion> suggestions;

  bool is_error() const { return level == "error"; }
};

}  // namespace cove
