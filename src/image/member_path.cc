#include "image/member_path.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

Result<std::string> clean_member_path(std::string_view name) {
  const auto refused = [&](std::string_view problem) {
    return Err(
        Error(ErrorCode::InvalidRequest, fmt::format("member {}: {}", quoted(name), problem)));
  };
  std::string out;
  std::size_t depth = 0;
  for (const std::string_view part : split(name, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refused("a name must not have .. in it");
    if (part.find('\0') != std::string_view::npos) return refused("a name must not have a NUL");
    if (part.size() > 255) return refused("a part of a name must not be longer than 255 bytes");
    if (++depth > kMaxMemberDepth) {
      return refused(fmt::format("it lies deeper than {} directories", kMaxMemberDepth));
    }
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

std::string_view parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view base_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace cove
