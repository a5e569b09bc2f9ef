#pragma once
#include <string>

#include "base/result.h"
#include "image/archive_blobs.h"
#include "image/image_manifest.h"

namespace cove {

// The whole of a small file, its digest checked.
Result<std::string> read_blob(ArchiveBlobs& blobs, const BlobRef& blob);

// The one image that an archive or layout holds for this host: by manifest.json, else by
// index.json, through nested indexes. What is for other platforms, and attestations, are passed
// over.
Result<ImageParts> choose_image(ArchiveBlobs& blobs);

// Whether its programs can run here, and config and manifest agree on the layers.
Result<> check_fits_host(const ImageConfig& config, const ImageParts& parts);

}  // namespace cove
