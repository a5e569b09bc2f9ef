#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "image/image_manifest.h"
#include "image/image_record.h"
#include "image/member_path.h"

namespace {

bool is_digest(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void check(const cove::Result<cove::ImageParts>& parts) {
  if (!parts) {
    if (parts.error().message().empty()) std::abort();
    return;
  }
  for (const auto& layer : parts->layers) {
    const auto clean = cove::clean_member_path(layer.name);
    if (!clean || *clean != layer.name) std::abort();
    if (layer.digest && !is_digest(*layer.digest)) std::abort();
  }
}

}  // namespace

// Manifests, indexes, configs and records: refused with a reason, or names that stay below their
// root and digests that are digests.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(cove::parse_docker_manifest(text));
  check(cove::parse_oci_manifest(text));
  if (const auto index = cove::parse_oci_index(text)) {
    for (const auto& entry : *index) {
      if (!is_digest(*entry.blob.digest)) std::abort();
    }
  }
  if (const auto config = cove::parse_image_config(text)) {
    for (const auto& id : config->diff_ids) {
      if (!is_digest(id)) std::abort();
    }
  }
  if (const auto name = cove::full_image_name(text)) {
    const auto again = cove::full_image_name(*name);
    if (name->size() <= 255 && (!again || *again != *name)) std::abort();
  }
  (void)cove::decode_image_record(text);
  return 0;
}
