#pragma once
#include <optional>
#include <string_view>

#include "model/execution_result.h"

namespace cove {

// What `cove run` exits with, besides the program's own code. See man/cove.1.
inline constexpr int kExitTimeout = 124;
inline constexpr int kExitRefused = 125;  // refused, bad input, or the infrastructure failed
inline constexpr int kExitCancelled = 130;
inline constexpr int kExitOom = 137;
inline constexpr int kExitReaderGone = 141;  // as a shell reports death by SIGPIPE
inline constexpr int kExitSignalBase = 128;

int exit_code_of(const ExecutionResult& result);
// The same where there is only a status, as of a session's cell; `failed`: for work that itself
// went wrong.
int exit_code_of(ExecutionStatus status, int failed);

// "SIGSEGV" is 11.
std::optional<int> signal_number(std::string_view name);

}  // namespace cove
