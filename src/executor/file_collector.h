#pragma once
#include <chrono>
#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "model/exec_file.h"
#include "model/execution_result.h"

namespace cove {

struct CollectOptions {
  std::span<const ExecFile> request_files;  // reported only when their content changed
  bool contents = false;                    // fill OutputFile::content
  std::size_t max_files = 1000;
  Bytes max_file = Bytes::mib(16);   // of content taken from one file
  Bytes max_total = Bytes::mib(64);  // of content taken in all
  int max_depth = 64;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Finds what a program left in its working directory: every regular file that is new or changed
// goes to `into.output_files`, everything else but directories to `into.skipped_files` with the
// reason.
//
// The directory's content is hostile. The walk goes by descriptors from `dirfd` (which may be
// O_PATH, stays open and the caller's), gives itself back the permissions that a program took away,
// follows no link, leaves no file system, opens nothing but directories and regular files, and is
// bounded in count, size, depth and time. What did not fit sets `into.output_files_incomplete`.
// Names are escaped: see escape_file_name() in base/strings.h.
void collect_files(int dirfd, const CollectOptions& options, ExecutionResult& into);

}  // namespace cove
