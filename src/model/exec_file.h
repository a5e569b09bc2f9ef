#pragma once
#include <optional>
#include <string>

namespace cove {

// A file handed to a program, or one that it left behind. `name` is a path relative to the working
// directory: no `..`, no absolute part, no NUL. `content` is raw bytes (base64 in JSON).
struct ExecFile {
  std::string name;
  std::string content;
  std::optional<std::string> mime_type;
};

}  // namespace cove
