#pragma once
#include <string>
#include <vector>

#include "model/diagnostic.h"

namespace cove {

enum class DiagnosticStyle : unsigned char {
  // For a reader who will repair the program, a language model say: each cause once, errors before
  // warnings and otherwise in the compiler's order, where the first is the one that others follow
  // from. At most 10 of them, each with its line and a caret; at most 8 KiB.
  Short,
  // Everything, in the compiler's order, with notes and what it proposes; at most 256 KiB.
  Full,
};

// Diagnostics as text, a newline at the end of each line. No control character of the program or
// the compiler gets through, so it is safe to show on a terminal. Empty: there are none.
std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, DiagnosticStyle style);

}  // namespace cove
