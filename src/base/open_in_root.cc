#include "base/open_in_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cove {

UniqueFd open_in_root(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  for (;;) {
    const long fd =
        ::syscall(SYS_openat2, root, path.empty() ? "." : path.c_str(), &how, sizeof how);
    // EAGAIN: something on the host was renamed meanwhile, and the kernel could not be sure.
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return UniqueFd(static_cast<int>(fd));
  }
}

}  // namespace cove
