#include "toolchain/cache_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

std::string absolute_variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

Result<> make_own_directory(const std::string& path) {
  struct stat facts = {};
  if (::lstat(path.c_str(), &facts) != 0) {
    for (auto slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string parent = path.substr(0, slash);
      if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST) {
        return Err(Error::from_errno("cannot make " + parent));
      }
    }
    // Others may pass, not look: at the landlock level a guest with an id of its own starts what
    // lies in it.
    if (::mkdir(path.c_str(), 0711) != 0 && errno != EEXIST) {
      return Err(Error::from_errno("cannot make " + path));
    }
    if (::lstat(path.c_str(), &facts) != 0) return Err(Error::from_errno("cannot read " + path));
  }
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 022U) != 0) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("{} must be a directory of user {} that nobody else can write to",
                                 path, ::geteuid())));
  }
  return {};
}

Result<> check_parents(const std::string& path) {
  for (std::string parent = path; parent.size() > 1;) {
    parent.resize(std::max<std::size_t>(parent.rfind('/'), 1));
    struct stat facts = {};
    if (::lstat(parent.c_str(), &facts) != 0) {
      return Err(Error::from_errno("cannot read " + parent));
    }
    const bool is_sticky = (facts.st_mode & S_ISVTX) != 0;
    const bool is_theirs = facts.st_uid != 0 && facts.st_uid != ::geteuid();
    if (!is_theirs && (is_sticky || (facts.st_mode & 022U) == 0)) continue;
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("{} {}, who could put something else in the place of {}", parent,
                                 is_theirs ? fmt::format("belongs to user {}", facts.st_uid)
                                           : fmt::format("can be written to by others (mode {:o})",
                                                         facts.st_mode & 07777U),
                                 path)));
  }
  return {};
}

std::string cache_variable_problem() {
  const char* const value = ::secure_getenv("COVE_CACHE_DIR");
  if (value == nullptr || value[0] == '\0' || value[0] == '/') return "";
  return fmt::format("COVE_CACHE_DIR must be an absolute path, and {} is not", quoted(value));
}

std::string default_cache_directory() {
  if (std::string named = absolute_variable("COVE_CACHE_DIR"); !named.empty()) return named;
  if (::geteuid() == 0) return "/var/cache/cove";
  if (const std::string base = absolute_variable("XDG_CACHE_HOME"); !base.empty()) {
    return base + "/cove";
  }
  const std::string home = absolute_variable("HOME");
  return home.empty() ? "" : home + "/.cache/cove";
}

}  // namespace cove
