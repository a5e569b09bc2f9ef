#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

// The deepest that a member may lie, so that walking an image never runs out of stack or
// descriptors.
inline constexpr std::size_t kMaxMemberDepth = 100;

// A member's name as a path below the layer's own root: "./usr//bin/" and "/usr/bin" are "usr/bin",
// the root itself is "". Refused: `..` anywhere, components over 255 bytes, too many of them. What
// the path leads to on the file system is another matter: see layer_unpacker.h.
Result<std::string> clean_member_path(std::string_view name);

// "a/b" and "c" of "a/b/c".
std::string_view parent_of(std::string_view path);
std::string_view base_of(std::string_view path);

}  // namespace cove
