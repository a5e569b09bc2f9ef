#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/execution_result.h"

namespace cove {

struct WrittenFiles {
  std::size_t count = 0;
  std::vector<std::string> problems;  // "NAME: why it was not written", one a file
};

// Says before a run whether the files could be written below `directory`: what exists of its path
// must be directories, and the last of them writable. Makes nothing.
Result<> check_output_directory(const std::string& directory);

// Writes the output files of a result below `directory`, which is made if need be. The names come
// from a hostile program: nothing outside the directory is created or changed, no link in it is
// followed, and an existing file is replaced, never written through (it may be a hard link).
Result<WrittenFiles> write_output_files(const std::string& directory,
                                        const std::vector<OutputFile>& files);

}  // namespace cove
