#include "cli/deliver_files.h"

#include <unistd.h>

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/output_directory.h"

namespace cove {

Result<> deliver_files(const RunOptions& options, ExecutionResult& result) {
  if (options.out) {
    COVE_ASSIGN(const WrittenFiles written, write_output_files(*options.out, result.output_files));
    for (const std::string& problem : written.problems) say("--out: " + problem);
    for (OutputFile& file : result.output_files) file.content.reset();  // they are on disk now
  } else if (!options.json && !result.output_files.empty() && ::isatty(STDERR_FILENO) == 1) {
    say(fmt::format("{} output file{} not kept; use --out DIR", result.output_files.size(),
                    result.output_files.size() == 1 ? "" : "s"));
  }
  if (result.output_files_incomplete && !options.json) {
    say("not every output file was collected (too many, too large or too deep)");
  }
  return {};
}

}  // namespace cove
