#pragma once
#include <vector>

#include "model/diagnostic.h"
#include "model/exec_file.h"

namespace cove {

// A program that was copied out of a chat with its Markdown fence ("```cpp") makes compilers
// complain of much: what is wrong comes first then, at the first line.
void explain_fence(std::vector<Diagnostic>& diagnostics, const ExecFile& program);

}  // namespace cove
