#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "docker/tar_stream.h"
#include "executor/file_collector.h"
#include "model/execution_result.h"

namespace cove {

// What executor/file_collector.h does for a directory, for an archive of one: every regular file
// that is new or changed goes to the result's output files, everything else but directories to its
// skipped files, within the same caps. Fed as the archive arrives.
class ArchiveCollector {
 public:
  // Both must outlive the collector. The deadline in `options` is the caller's to keep.
  ArchiveCollector(const CollectOptions& options, ExecutionResult& into);
  ArchiveCollector(const ArchiveCollector&) = delete;
  ArchiveCollector& operator=(const ArchiveCollector&) = delete;

  Result<> feed(std::string_view bytes) { return reader_.feed(bytes); }
  // Something that archives cannot hold.
  void add_socket(std::string_view name);
  // Puts all of it into the result, by name. An archive that broke off makes it incomplete.
  void finish();
  // The same, when no archive was to come: the directory was empty.
  void finish_without_archive();

 private:
  struct Found {
    std::string raw_name;
    OutputFile file;
    std::string content;                 // as far as it is wanted
    std::uint64_t wanted = 0;            // bytes of it
    const ExecFile* original = nullptr;  // of the request, when it may be unchanged
  };

  void entry(const TarEntry& entry);
  void file(const TarEntry& entry, std::string name);
  void end_file();
  void skip(std::string_view name, std::string reason);

  const CollectOptions& options_;
  ExecutionResult& into_;
  TarStreamReader reader_;
  std::map<std::string, const ExecFile*, std::less<>> baseline_;
  std::vector<Found> found_;
  bool in_file_ = false;  // the content that comes is that of the last in found_
  std::uint64_t content_total_ = 0;
};

}  // namespace cove
