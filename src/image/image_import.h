#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "image/image_store.h"

namespace cove {

struct ImportOptions {
  // g++ 12 wants them for designated initialisers.
  // NOLINTBEGIN(readability-redundant-member-init)
  std::string source = "-";              // a file, an OCI layout's directory, or - for stdin
  std::optional<std::string> name = {};  // instead of the archive's own
  bool rootfs = false;                   // the archive is a root file system, as of `docker export`
  std::uint64_t most_bytes = 8ULL << 30U;
  std::uint64_t most_files = 500'000;
  std::function<void(std::string_view)> tell = {};  // progress
  // NOLINTEND(readability-redundant-member-init)
};

// Brings an image into the store: reads the archive, checks each digest, unpacks the layers that
// the store does not have and merges them. All or nothing: a failure leaves the store as it was.
Result<ImageRecord> import_image(const ImageStore& store, const ImportOptions& options);

}  // namespace cove
