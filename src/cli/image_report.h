#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "image/image_record.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// What `cove image` prints. Texts from an image are escaped: they are not ours.
std::string describe_import(const ImageRecord& record);
std::string describe_images(const std::vector<ImageRecord>& records);
std::string describe_image(const ImageRecord& record,
                           const std::vector<LanguageListing>& languages);
json::object encode_image_report(const ImageRecord& record,
                                 const std::vector<LanguageListing>& languages);

}  // namespace cove
