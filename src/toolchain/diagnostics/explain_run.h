#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"
#include "model/exec_file.h"
#include "toolchain/run_contract.h"

namespace cove {

// The code of the diagnostic that says how `run` must be written.
inline constexpr std::string_view kRunSignature = "run-signature";

// Where a program has no `run` that its harness can call, compilers and linkers complain about the
// harness, which the program's author never saw. All of that becomes one error that says what
// `run` must be, at the place of the program's own if there is one, with the compiler's words as
// notes. Nothing that is left names a place in the harness.
void explain_run(std::vector<Diagnostic>& diagnostics, const RunContract& contract,
                 std::span<const ExecFile> files);

}  // namespace cove
