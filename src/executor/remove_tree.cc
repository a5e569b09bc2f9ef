#include "executor/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "base/unique_fd.h"

namespace cove {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Deletes what is not a directory; returns the name of one that is, or "" when all is gone.
std::string clear_plain_entries(int directory) {
  ::fchmod(directory, 0700);
  UniqueFd again(::openat(directory, ".", kDirectory));
  if (!again) return "";
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (!stream) return "";
  again.release();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) continue;
    return name;
  }
  return "";
}

}  // namespace

void remove_tree(const std::string& path) {
  UniqueFd here(::open(path.c_str(), kDirectory));
  if (!here) return;
  // The way down by names, with one descriptor: a tree may be deeper than descriptors are many.
  std::vector<std::string> way;
  for (;;) {
    const std::string child = clear_plain_entries(here.get());
    if (!child.empty()) {
      if (::fchmodat(here.get(), child.c_str(), 0700, 0) != 0) break;
      UniqueFd below(::openat(here.get(), child.c_str(), kDirectory));
      if (!below) break;
      here = std::move(below);
      way.push_back(child);
      continue;
    }
    if (way.empty()) break;
    UniqueFd above(::openat(here.get(), "..", kDirectory));
    if (!above || ::unlinkat(above.get(), way.back().c_str(), AT_REMOVEDIR) != 0) break;
    way.pop_back();
    here = std::move(above);
  }
  ::rmdir(path.c_str());
}

}  // namespace cove
