#pragma once
#include <optional>
#include <string_view>

#include "model/diagnostic.h"

namespace cove {

// What linkers and the drivers of gcc and clang print as plain text: "undefined reference to `f'",
// "cannot find -lfoo", "fatal error: Killed signal terminated program cc1". Gives the diagnostic
// that the line holds, if it holds one.
std::optional<Diagnostic> read_linker_line(std::string_view line);

}  // namespace cove
