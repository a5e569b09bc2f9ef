#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// A stored image's root file system, as a sandbox shows it. Holding one keeps the image from being
// removed.
struct ImageRoot {
  std::string name;  // "python:3.12"
  std::string id;    // 64 digits
  std::string path;  // on the host
  // The entries of /, by what they are. What every guest has of its own is not among them.
  std::vector<std::string> trees;  // shown read-only, mounted
  std::vector<std::string> empty;  // directories with nothing in them: made, not mounted
  std::vector<std::pair<std::string, std::string>> links;  // name, where it leads
  // Of the image's config: variables that a program may get, and where commands are looked for.
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::string> command_path;
  std::shared_ptr<const UniqueFd> lease;

  // Whether a host path can be shown at the same path inside: no link of the image is on the way,
  // and the place is free or of the same kind. The error says what to choose instead.
  Result<> check_mount_point(const std::string& path) const;
};

// Reads the entries of / of an unpacked root.
Result<> list_root_entries(int root, ImageRoot& image);

// Takes over what a program may get of the image's variables: not HOME and the like, which the
// sandbox sets, nor what steers the loader or an interpreter's start. Gives the names left out.
std::vector<std::string> adopt_env(const std::vector<std::string>& env, ImageRoot& image);

}  // namespace cove
