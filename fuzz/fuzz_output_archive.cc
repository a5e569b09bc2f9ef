// An archive of output files, as a container sends it, in any pieces. The first byte chooses the
// size of the pieces, which must make no difference; what is collected stays within its caps.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "docker/archive_collector.h"
#include "model/exec_file.h"

namespace {

cove::ExecutionResult collect(std::string_view bytes, std::size_t step,
                              const cove::CollectOptions& options) {
  cove::ExecutionResult result;
  cove::ArchiveCollector collector(options, result);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!collector.feed(bytes.substr(at, step))) break;
  }
  collector.finish();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<cove::ExecFile> files{{"a.txt", "hello", {}}};
  cove::CollectOptions options;
  options.request_files = files;
  options.contents = true;
  options.max_files = 5;
  options.max_file = cove::Bytes{700};
  options.max_total = cove::Bytes{1500};
  options.max_depth = 3;
  const auto pieces = collect(bytes, 1U + data[0], options);
  const auto whole = collect(bytes, size, options);
  if (pieces.output_files.size() != whole.output_files.size() ||
      pieces.skipped_files.size() != whole.skipped_files.size() ||
      pieces.output_files_incomplete != whole.output_files_incomplete) {
    std::abort();
  }
  std::size_t total = 0;
  for (const auto& file : pieces.output_files) {
    if (!file.content || file.content->size() > 700 || file.name.find('\n') != std::string::npos) {
      std::abort();
    }
    total += file.content->size();
  }
  if (total > 1500 || pieces.output_files.size() > 5 || pieces.skipped_files.size() > 100) {
    std::abort();
  }
  return 0;
}
