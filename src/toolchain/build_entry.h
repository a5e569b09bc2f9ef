#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "toolchain/build_cache.h"

namespace cove {

inline constexpr std::string_view kBuildFiles = "files";

// One entry of the build cache on disk: files/ and entry.json, which says what files there are and
// what the compilers said.

// Writes it into an empty directory, to the disk.
Result<> write_build_entry(const std::string& directory, const BuildOutput& output);

// Reads it, without the files. An error: it is not whole.
Result<BuildOutput> read_build_entry(int directory);

// Makes everything below `directory` this process's own, and nobody else's to write. Follows no
// link.
Result<> take_over(const std::string& directory);

}  // namespace cove
