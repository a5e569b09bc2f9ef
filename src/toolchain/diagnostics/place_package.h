#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"
#include "model/exec_file.h"

namespace cove {

// The code of an error that is about the package a Go file says it is of.
inline constexpr std::string_view kPackageMain = "package-main";

// Gives such errors their places, the clauses: go knows the files alone, or not even those. Before
// the source is attached.
void place_package(std::vector<Diagnostic>& diagnostics, std::span<const ExecFile> files,
                   std::string_view entry);

}  // namespace cove
