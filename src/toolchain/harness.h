#pragma once
#include <string_view>

#include "base/result.h"
#include "runtime/language_profile.h"
#include "toolchain/program.h"

namespace cove {

// Tells compilers the name of the program's file, where that is not the entry. It belongs to one
// program, and what is prepared does not depend on it.
inline constexpr std::string_view kEntryVariable = "COVE_ENTRY";

// Makes a program of code that provides only run(input): the harness has the main, reads the input
// and prints the value. Changes the program's files and the runtime's steps; diagnostics speak of
// the lines as they were given. InvalidCode: the code has what the harness supplies.
Result<> put_in_harness(Program& program, Runtime& runtime);

}  // namespace cove
