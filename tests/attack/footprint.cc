#include "footprint.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace cove::attack {
namespace {

namespace fs = std::filesystem;

std::set<std::string> own_descriptors() {
  std::set<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored)) {
    const auto target = fs::read_symlink(entry.path(), ignored).string();
    if (target.starts_with("/proc/")) continue;  // this very listing
    out.insert(fmt::format("{} -> {}", entry.path().filename().string(), target));
  }
  return out;
}

std::set<std::string> lines_of(const char* path) {
  std::set<std::string> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) out.insert(line);
  return out;
}

// Other Cove processes may be at work on this host: only what carries our own process id counts.
void add_own_entries(const fs::path& directory, std::set<std::string>& out) {
  const std::string mine = fmt::format("cove-{}-", ::getpid());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().filename().string().starts_with(mine)) out.insert(entry.path().string());
  }
}

std::set<std::string> own_cgroups() {
  std::set<std::string> out;
  const std::string mine = fmt::format("cove-{}-", ::getpid());
  std::error_code failed;
  const auto options = fs::directory_options::skip_permission_denied;
  auto walk = fs::recursive_directory_iterator("/sys/fs/cgroup", options, failed);
  for (; !failed && walk != fs::recursive_directory_iterator(); walk.increment(failed)) {
    const std::string name = walk->path().filename().string();
    if (name.starts_with(mine)) out.insert(walk->path().string());
    if (walk.depth() > 6) walk.disable_recursion_pending();
  }
  return out;
}

std::set<int> own_children() {
  std::set<int> out;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream list(task.path() / "children");
    for (int pid = 0; list >> pid;) out.insert(pid);
  }
  return out;
}

template <class T>
void compare(const char* what, const std::set<T>& before, const std::set<T>& after,
             std::string& out) {
  for (const auto& item : after) {
    if (!before.contains(item)) out += fmt::format("{}: {}\n", what, item);
  }
}

}  // namespace

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Footprint Footprint::now() {
  Footprint found;
  found.descriptors = own_descriptors();
  found.mounts = lines_of("/proc/self/mountinfo");
  found.cgroups = own_cgroups();
  const char* chosen = std::getenv("TMPDIR");
  add_own_entries(chosen != nullptr && *chosen != '\0' ? chosen : "/tmp", found.temporary);
  found.children = own_children();
  return found;
}

std::string leftovers(const Footprint& before, const Footprint& after) {
  std::string out;
  compare("descriptor", before.descriptors, after.descriptors, out);
  compare("mount", before.mounts, after.mounts, out);
  compare("control group", before.cgroups, after.cgroups, out);
  compare("temporary", before.temporary, after.temporary, out);
  compare("process", before.children, after.children, out);
  return out;
}

}  // namespace cove::attack
