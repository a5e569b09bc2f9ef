#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// Files of the server's own, mode 0600, which nobody else need read.

// The whole file; nothing when it does not exist. TooLarge past `most`.
Result<std::optional<std::string>> read_private_file(const std::string& path, Bytes most);

// Replaces the file in one step: written beside it, synced, renamed, and the directory synced. A
// reader sees the old content or the new; a crash leaves one of the two. Written by root, it
// belongs to whom it belonged to before, or to whom its directory belongs to.
Result<> write_private_file(const std::string& path, std::string_view content);

// Makes the directory (0700) if it is not there; its parent must be.
Result<> make_private_directory(const std::string& path);

// Held until the descriptor is closed: keeps other processes that ask for the same directory's lock
// out. Conflict when one of them still holds it after `patience`.
Result<UniqueFd> lock_directory(const std::string& path, std::chrono::milliseconds patience);

std::string directory_of(const std::string& path);  // "." for a bare name

// write() until all of it is written.
Result<> write_all(int fd, std::string_view bytes, const std::string& path);

}  // namespace cove
