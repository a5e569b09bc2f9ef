#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/exec_file.h"

namespace cove {

inline constexpr std::size_t kMaxFileNameComponent = 255;  // NAME_MAX
inline constexpr std::size_t kMaxFileNameLength =
    4000;  // below PATH_MAX with the directory in front
inline constexpr std::size_t kMaxFileNameDepth = 32;

// A name handed to the working directory: a relative path of plain components. Refuses absolute
// paths, `.` and `..`, empty components, NUL, and what no file system would take. `field` is named
// in the error.
Result<> validate_file_name(std::string_view name, const std::string& field);

// Each name, and that none occurs twice or is both a file and a directory of another
// ("a" with "a/b"). Errors name "files[2].name".
Result<> validate_file_names(std::span<const ExecFile> files, const std::string& field = "files");

}  // namespace cove
