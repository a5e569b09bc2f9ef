#include "differential/bare_root.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace cove::differential {
namespace {

bool write_file(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return done;
}

bool bind_path(const std::string& from, const std::string& to) {
  return (::mkdir(to.c_str(), 0755) == 0 || errno == EEXIST) &&
         ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

// A directory of the host at the same place; where the host has a link, the same link.
bool show(const std::string& root, const std::string& path) {
  struct stat facts = {};
  if (::lstat(path.c_str(), &facts) != 0) return true;
  if (!S_ISLNK(facts.st_mode)) return bind_path(path, root + path);
  std::array<char, 256> target = {};
  return ::readlink(path.c_str(), target.data(), target.size() - 1) > 0 &&
         ::symlink(target.data(), (root + path).c_str()) == 0;
}

}  // namespace

const char* become_nobody() {
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC) != 0) return "unshare";
  if (!write_file("/proc/self/setgroups", "deny")) return "setgroups";
  if (!write_file("/proc/self/uid_map", "65534 " + uid + " 1")) return "uid_map";
  if (!write_file("/proc/self/gid_map", "65534 " + gid + " 1")) return "gid_map";
  return nullptr;
}

const char* enter_bare_root(const std::string& scratch) {
  const std::string root = scratch + "/root";
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "private mounts";
  if (::mount("tmpfs", root.c_str(), "tmpfs", 0, "mode=755") != 0) return "root";
  for (const char* path :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/dev", "/opt"}) {
    if (!show(root, path)) return path;
  }
  for (const char* path : {"/code", "/workspace", "/tmp"}) {
    if (!bind_path(scratch + path, root + path)) return path;
  }
  const std::string proc = root + "/proc";
  ::mkdir(proc.c_str(), 0755);
  if (::mount("proc", proc.c_str(), "proc", 0, nullptr) != 0) return "proc";
  if (::mount("tmpfs", (root + "/dev/shm").c_str(), "tmpfs", 0, nullptr) != 0) return "shm";
  if (::chroot(root.c_str()) != 0) return "chroot";
  if (::chdir("/workspace") != 0) return "chdir";
  return nullptr;
}

}  // namespace cove::differential
