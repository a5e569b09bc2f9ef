#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "image/image_manifest.h"

namespace cove {

// What the store knows of one image: images/ID.json.
struct ImageRecord {
  std::string id;                   // SHA-256 of the config, as container engines count
  std::vector<std::string> names;   // "python:3.12"; at least one
  std::vector<std::string> layers;  // lowest first: digests of the uncompressed layers
  ImageConfig config;
  std::uint64_t bytes = 0;  // of all files in all layers
  std::uint64_t members = 0;
  std::uint64_t skipped = 0;
  std::uint64_t stripped = 0;
  std::string imported;  // 2026-11-15T12:00:00Z
};

json::object encode_image_record(const ImageRecord& record);
Result<ImageRecord> decode_image_record(std::string_view text);

// "python" is "python:latest". The error says what a name may look like.
Result<std::string> full_image_name(std::string_view name);

}  // namespace cove
