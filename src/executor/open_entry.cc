#include "executor/open_entry.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace cove {

// Without a slash in the name openat with O_NOFOLLOW cannot leave the directory either; openat2
// also refuses to cross a mount.
UniqueFd open_entry(int dirfd, const char* name, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_NOFOLLOW | O_CLOEXEC;
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK | O_NOCTTY;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  const long fd = ::syscall(SYS_openat2, dirfd, name, &how, sizeof how);
  if (fd >= 0) return UniqueFd(static_cast<int>(fd));
  // Container engines with an old seccomp profile answer EPERM for calls that they do not know.
  if (errno != ENOSYS && errno != EPERM) return UniqueFd();
  return UniqueFd(::openat(dirfd, name, static_cast<int>(how.flags), mode));
}

// By O_PATH descriptor and /proc, because fchmodat follows links.
void restore_permission(int handle, mode_t bits) {
  struct stat st{};
  if (::fstat(handle, &st) != 0) return;
  if (!S_ISDIR(st.st_mode) && !(S_ISREG(st.st_mode) && st.st_nlink == 1)) return;
  const std::string path = fmt::format("/proc/self/fd/{}", handle);
  (void)::chmod(path.c_str(), (st.st_mode & 07777U) | bits);
}

void restore_permission(int dirfd, const char* name, mode_t bits) {
  if (const UniqueFd handle = open_entry(dirfd, name, O_PATH)) {
    restore_permission(handle.get(), bits);
  }
}

UniqueFd open_unsealed(int dirfd, const char* name, int flags, mode_t bits) {
  UniqueFd fd = open_entry(dirfd, name, flags);
  if (fd || errno != EACCES) return fd;
  restore_permission(dirfd, name, bits);
  return open_entry(dirfd, name, flags);
}

}  // namespace cove
