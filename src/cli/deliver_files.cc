#include "cli/deliver_files.h"

#include <unistd.h>

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/output_directory.h"

namespace cove {

namespace {

constexpr std::size_t kMostNamed = 10;

// Links, pipes and other odd things that were left behind.
void say_skipped(const std::vector<SkippedFile>& skipped) {
  for (std::size_t i = 0; i < skipped.size() && i < kMostNamed; ++i) {
    say(fmt::format("--out: {}: not written ({})", skipped[i].name, skipped[i].reason));
  }
  if (skipped.size() > kMostNamed) {
    say(fmt::format("--out: {} more were not written", skipped.size() - kMostNamed));
  }
}

}  // namespace

Result<> deliver_files(const RunOptions& options, ExecutionResult& result) {
  if (options.out) {
    COVE_ASSIGN(const WrittenFiles written, write_output_files(*options.out, result.output_files));
    for (const std::string& problem : written.problems) say("--out: " + problem);
    if (!options.json) say_skipped(result.skipped_files);
    if (result.output_files_incomplete && !options.json) {
      say("not every output file was collected whole: at most 1,000 files, 16 MiB of one, 64 MiB "
          "in all, 64 levels deep");
    }
    if (!options.contents) {
      for (OutputFile& file : result.output_files) file.content.reset();  // they are on disk now
    }
  } else if (!options.json && !result.output_files.empty() && ::isatty(STDERR_FILENO) == 1) {
    say(fmt::format("{} output file{} not kept; use --out DIR", result.output_files.size(),
                    result.output_files.size() == 1 ? "" : "s"));
  }
  return {};
}

}  // namespace cove
