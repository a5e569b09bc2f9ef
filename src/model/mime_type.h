#pragma once
#include <string_view>

namespace cove {

// By the file name's extension; "application/octet-stream" for what is not known. Content is not
// looked at: it is the guest's.
std::string_view mime_type_of(std::string_view file_name);

}  // namespace cove
