#include "image/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "base/open_in_root.h"
#include "base/strings.h"

namespace cove {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<std::vector<std::string>> names_in(int directory) {
  UniqueFd again(::openat(directory, ".", kDirectory));
  if (!again) return Err(Error::from_errno("reading a directory of an image"));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (!stream) return Err(Error::from_errno("reading a directory of an image"));
  again.release();
  std::vector<std::string> names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace

UniqueFd open_directory_in_root(int root, const std::string& path) {
  return open_in_root(root, path, O_RDONLY | O_DIRECTORY);
}

UniqueFd open_directory_entry(int directory, const std::string& name) {
  return UniqueFd(::openat(directory, name.c_str(), kDirectory));
}

// The depth is bounded by kMaxMemberDepth a layer.
Result<> remove_entry(int directory, const std::string& name) {
  if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) {
    return Err(Error::from_errno("removing " + quoted(name) + " of an image"));
  }
  const UniqueFd below = open_directory_entry(directory, name);
  if (!below) return Err(Error::from_errno("removing " + quoted(name) + " of an image"));
  COVE_TRY(remove_entries(below.get()));
  if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) return {};
  return Err(Error::from_errno("removing " + quoted(name) + " of an image"));
}

Result<> remove_entries(int directory) {
  COVE_ASSIGN(const auto names, names_in(directory));
  for (const std::string& name : names) COVE_TRY(remove_entry(directory, name));
  return {};
}

}  // namespace cove
