#pragma once
#include <string>
#include <string_view>

namespace cove {

// `text` with every `what`, which is not empty, replaced by `with`.
std::string replace_all(std::string text, std::string_view what, std::string_view with);

}  // namespace cove
