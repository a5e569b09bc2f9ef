#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"
#include "model/exec_file.h"
#include "toolchain/diagnostics/diagnostic_format.h"

namespace cove {

// The place itself, of those that a diagnostic names; null: none.
const DiagnosticSpan* primary_of(const Diagnostic& diagnostic);

// An error of a template is where the template is, in a header that nobody can change. What its
// reader needs is the place in the program that asked for it: these make that the primary span, and
// the header's a further one.

// Whether an error lies outside of the program and nothing says where it comes from.
bool has_foreign_error(const std::vector<Diagnostic>& diagnostics);

// From the notes of an error: clang says "in instantiation of … requested here".
void promote_own_places(std::vector<Diagnostic>& diagnostics);

// From what gcc prints as text, whose JSON does not have it: lines "FILE:LINE:COLUMN:   required
// from here" in front of an error. Takes any bytes.
void add_own_places(std::vector<Diagnostic>& diagnostics, std::string_view text,
                    std::span<const ExecFile> files, ColumnUnit columns);

}  // namespace cove
