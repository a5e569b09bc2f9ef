#include "executor/native/guest_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "executor/remove_tree.h"
#include "sandbox/cgroup_files.h"

namespace cove {
namespace {

std::string parent_directory() {
  const char* chosen = ::secure_getenv("TMPDIR");
  return chosen != nullptr && *chosen == '/' ? chosen : "/tmp";
}

void sweep(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    struct stat facts = {};
    const bool ours = ::lstat(entry.path().c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
                      (::geteuid() == 0 || facts.st_uid == ::geteuid());
    if (ours && sandbox::is_leftover(entry.path().filename().string())) remove_tree(entry.path());
  }
}

}  // namespace

Result<std::unique_ptr<GuestDirectory>> GuestDirectory::create(std::uint32_t uid,
                                                               std::uint32_t gid) {
  const std::string parent = parent_directory();
  sweep(parent);
  std::string path = fmt::format("{}/{}-XXXXXX", parent, sandbox::owner_prefix());
  if (::mkdtemp(path.data()) == nullptr) return Err(Error::from_errno("mkdtemp " + path));
  std::unique_ptr<GuestDirectory> directory(new GuestDirectory(path));
  for (const char* name : {"workspace", "code", "tmp"}) {
    const std::string part = path + "/" + name;
    if (::mkdir(part.c_str(), 0700) != 0) return Err(Error::from_errno("mkdir " + part));
  }
  COVE_TRY(directory->give_to(uid, gid));
  return directory;
}

Result<> GuestDirectory::give_to(std::uint32_t uid, std::uint32_t gid) const {
  if (::geteuid() != 0) return {};
  for (const char* name : {"/workspace", "/code", "/tmp", ""}) {
    const std::string part = path_ + name;
    if (::lchown(part.c_str(), uid, gid) != 0) return Err(Error::from_errno("chown " + part));
  }
  return {};
}

GuestDirectory::~GuestDirectory() {
  remove_tree(path_);
}

Result<UniqueFd> GuestDirectory::open() const {
  UniqueFd fd(::open(path_.c_str(), O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return Err(Error::from_errno("open " + path_));
  return fd;
}

}  // namespace cove
