#include "image/choose_manifest.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256_stream.h"
#include "base/strings.h"

namespace cove {
namespace {

constexpr int kMostNesting = 3;

Result<std::string> read_named(ArchiveBlobs& blobs, const std::string& name) {
  COVE_ASSIGN(const auto source, blobs.open(name));
  return read_all(*source, kMaxManifest, quoted(name));
}

bool is_index(const IndexEntry& entry) {
  return entry.media_type.find("image.index") != std::string::npos ||
         entry.media_type.find("manifest.list") != std::string::npos;
}

Result<ImageParts> choose_from_index(ArchiveBlobs& blobs, const std::string& text, int depth) {
  COVE_ASSIGN(auto entries, parse_oci_index(text));
  const std::string here = "linux/" + host_architecture();
  std::vector<std::string> others;
  std::erase_if(entries, [&](const IndexEntry& entry) {
    const bool ours = entry.platform.empty() || entry.platform == here;
    if (!ours) others.push_back(entry.platform);
    return !ours;
  });
  if (entries.size() != 1) {
    return Err(Error(
        ErrorCode::InvalidRequest,
        entries.empty()
            ? fmt::format("index.json has no image for {}, only for: {}", here, join(others, ", "))
            : fmt::format("index.json has {} images for {}; one is imported at a time",
                          entries.size(), here)));
  }
  const IndexEntry& entry = entries.front();
  COVE_ASSIGN(const std::string below, read_blob(blobs, entry.blob));
  if (is_index(entry) && depth == kMostNesting) {
    return Err(Error(ErrorCode::InvalidRequest, "index.json: indexes are nested too deeply"));
  }
  auto parts =
      is_index(entry) ? choose_from_index(blobs, below, depth + 1) : parse_oci_manifest(below);
  if (parts && parts->names.empty() && !entry.name.empty()) parts->names = {entry.name};
  return parts;
}

}  // namespace

Result<std::string> read_blob(ArchiveBlobs& blobs, const BlobRef& blob) {
  COVE_ASSIGN(std::string text, read_named(blobs, blob.name));
  const std::string found = Sha256Stream::of(text);
  if (blob.digest && *blob.digest != found) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("{} has the digest sha256:{}, but it should have sha256:{}",
                                 quoted(blob.name), found, *blob.digest)));
  }
  return text;
}

Result<ImageParts> choose_image(ArchiveBlobs& blobs) {
  const auto manifest = read_named(blobs, "manifest.json");
  if (manifest) return parse_docker_manifest(*manifest);
  if (manifest.error().code() != ErrorCode::NotFound) return Err(manifest.error());
  const auto index = read_named(blobs, "index.json");
  if (index) return choose_from_index(blobs, *index, 0);
  if (index.error().code() != ErrorCode::NotFound) return Err(index.error());
  return Err(Error(ErrorCode::InvalidRequest,
                   "it has neither manifest.json (docker save) nor index.json (OCI layout), or "
                   "is empty; a plain root file system must be said to be one (rootfs)"));
}

Result<> check_fits_host(const ImageConfig& config, const ImageParts& parts) {
  const std::string here = host_architecture();
  if (config.os != "linux" || config.architecture != here) {
    return Err(
        Error(ErrorCode::InvalidRequest,
              fmt::format("the image is for {}/{}, and this host is linux/{}",
                          sanitize_utf8(config.os), sanitize_utf8(config.architecture), here)));
  }
  if (config.diff_ids.size() != parts.layers.size() || parts.layers.empty()) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("the manifest has {} layers and the config {}; they must agree, "
                                 "and there must be one",
                                 parts.layers.size(), config.diff_ids.size())));
  }
  return {};
}

}  // namespace cove
