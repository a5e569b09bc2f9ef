#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cove {

// A file of an archive or layout, with the digest (64 digits of SHA-256) that its bytes must have,
// where the format says one.
struct BlobRef {
  std::string name;
  std::optional<std::string> digest;
};

// Which files make up one image.
struct ImageParts {
  BlobRef config;
  std::vector<BlobRef> layers;     // lowest first
  std::vector<std::string> names;  // "python:3.12", as the archive calls it
};

// What a program's config says, as far as it matters here.
struct ImageConfig {
  std::string os;
  std::string architecture;
  std::string created;
  std::vector<std::string> diff_ids;  // 64 digits each: of the uncompressed layers
  std::vector<std::string> env;       // NAME=VALUE
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::string working_directory;
  std::string user;
};

// One entry of an OCI index.
struct IndexEntry {
  BlobRef blob;
  std::string media_type;
  std::string platform;  // "linux/amd64", or empty
  std::string name;
};

inline constexpr std::size_t kMaxLayers = 256;
inline constexpr std::size_t kMaxManifest = 4 << 20;

// The digits of "sha256:…"; other algorithms are refused.
Result<std::string> parse_digest(std::string_view text, const std::string& field);
// blobs/sha256/DIGITS, as an OCI layout keeps it.
BlobRef oci_blob(const std::string& digest);

// manifest.json of `docker save`. Exactly one image: an archive of several is refused with their
// names.
Result<ImageParts> parse_docker_manifest(std::string_view text);
// index.json or a nested index.
Result<std::vector<IndexEntry>> parse_oci_index(std::string_view text);
Result<ImageParts> parse_oci_manifest(std::string_view text);
Result<ImageConfig> parse_image_config(std::string_view text);

// "amd64", "arm64": this host in the words of images.
std::string host_architecture();

}  // namespace cove
