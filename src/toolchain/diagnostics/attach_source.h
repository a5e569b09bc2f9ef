#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"
#include "model/exec_file.h"
#include "toolchain/diagnostics/diagnostic_format.h"

namespace cove {

// Completes spans from the program's own files: columns become characters, an end that the compiler
// did not say becomes the end of the word, and the lines are filled in. Places in other files, a
// system header say, stay as they are: nothing is read for them. Of a long line only the beginning
// is looked at, and there is a bound on all lines together: what is past it has its place alone.
void attach_source(std::vector<Diagnostic>& diagnostics, std::span<const ExecFile> files,
                   ColumnUnit columns);

// Marks `word` in the line of a place that has no column: linkers know lines alone. A line without
// that word stays as it is.
void mark_word(DiagnosticSpan& span, std::string_view word);

}  // namespace cove
