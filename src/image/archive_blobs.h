#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "image/byte_source.h"

namespace cove {

// The files of a `docker save` archive or an OCI layout, by name.
class ArchiveBlobs {
 public:
  ArchiveBlobs() = default;
  virtual ~ArchiveBlobs() = default;
  ArchiveBlobs(const ArchiveBlobs&) = delete;
  ArchiveBlobs& operator=(const ArchiveBlobs&) = delete;

  // NotFound when there is none of that name.
  virtual Result<std::unique_ptr<ByteSource>> open(const std::string& name) = 0;
};

// Reads an archive to its end, from a file or a pipe: what it is made of comes in any order. Large
// files wait in `spool`, an open directory, without a name, so that nothing is left behind.
Result<std::unique_ptr<ArchiveBlobs>> read_archive(ByteSource& archive, int spool,
                                                   std::uint64_t most_bytes);

// An unpacked OCI layout. Links in it are not followed.
Result<std::unique_ptr<ArchiveBlobs>> open_layout(const std::string& directory);

}  // namespace cove
