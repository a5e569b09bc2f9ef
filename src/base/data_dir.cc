#include "base/data_dir.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace cove {
namespace {

namespace fs = std::filesystem;

bool holds_profiles(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_directory(directory / "profiles", ignored);
}

std::string& package_data_dir() {
  static std::string path;
  return path;
}

bool lies_below(const fs::path& path, const fs::path& directory) {
  const fs::path relative = path.lexically_relative(directory);
  return !relative.empty() && *relative.begin() != "..";
}

Result<std::string> from_environment(const char* value) {
  const fs::path chosen(value);
  if (chosen.is_absolute() && holds_profiles(chosen)) return chosen.lexically_normal().string();
  return Err(Error(ErrorCode::DependencyNotFound,
                   "COVE_DATA_DIR is " + chosen.string() +
                       ", which is not an absolute path of a directory with profiles/ in it"));
}

}  // namespace

std::vector<DataDirCandidate> data_dir_candidates(const std::string& executable) {
  std::vector<DataDirCandidate> candidates;
  const fs::path program = fs::path(executable).lexically_normal();
  if (program.is_absolute()) {
    fs::path prefix = program.parent_path().parent_path();
    if (prefix.filename() == "libexec") prefix = prefix.parent_path();  // libexec/cove/cove-net
    candidates.push_back({(prefix / "share" / "cove").string(), "beside the executable"});
  }
  candidates.push_back({COVE_INSTALL_DATA_DIR, "the install prefix"});
  if (program.is_absolute() && lies_below(program, COVE_BUILD_DIR)) {
    candidates.push_back({COVE_SOURCE_DATA_DIR, "the source tree"});
  }
  if (!package_data_dir().empty()) {
    candidates.push_back({package_data_dir(), "the package that the program was linked with"});
  }
  return candidates;
}

void set_package_data_dir(std::string path) {
  package_data_dir() = std::move(path);
}

Result<std::string> data_dir() {
  // secure_getenv: a privileged program must not take its data from the caller's environment.
  if (const char* chosen = ::secure_getenv("COVE_DATA_DIR"); chosen != nullptr && *chosen != '\0') {
    return from_environment(chosen);
  }
  std::error_code unreadable;
  const fs::path executable = fs::read_symlink("/proc/self/exe", unreadable);
  std::string tried;
  for (const auto& candidate : data_dir_candidates(executable.string())) {
    if (holds_profiles(candidate.path)) return candidate.path;
    tried += (tried.empty() ? "" : ", ") + candidate.path;
  }
  return Err(Error(ErrorCode::DependencyNotFound,
                   "no profiles found in " + tried +
                       "; install Cove, or set COVE_DATA_DIR to a directory with profiles/ in it"));
}

}  // namespace cove
