#include "sandbox/raw/mount_calls.h"

#include <linux/fcntl.h>
#include <linux/mount.h>

#include "sandbox/raw/raw_syscalls.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr int kAtFdcwd = -100;
constexpr uint64_t kAtEmptyPath = 0x1000;
constexpr uint64_t kAtRecursive = 0x8000;
constexpr uint64_t kUnmountDetach = 2;

}  // namespace

long make_private() {
  return call(SYS_mount, nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
}

long open_tree_clone(const char* path, bool recursive) {
  return call(SYS_open_tree, kAtFdcwd, path,
              OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (recursive ? kAtRecursive : 0));
}

long attach_tree(int tree, const char* target, uint64_t attributes) {
  struct mount_attr wanted = {};
  wanted.attr_set = attributes;
  long failed =
      call(SYS_mount_setattr, tree, "", kAtEmptyPath | kAtRecursive, &wanted, sizeof wanted);
  if (failed == 0)
    failed = call(SYS_move_mount, tree, "", kAtFdcwd, target, MOVE_MOUNT_F_EMPTY_PATH);
  call(SYS_close, tree);
  return failed;
}

long mount_tmpfs(const char* target, const char* options, uint64_t flags) {
  return call(SYS_mount, "tmpfs", target, "tmpfs", flags, options);
}

long mount_proc(const char* target) {
  return call(SYS_mount, "proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
}

long bind_plainly(const char* source, const char* target) {
  return call(SYS_mount, source, target, nullptr, MS_BIND, nullptr);
}

long remount_read_only(const char* target) {
  struct mount_attr wanted = {};
  wanted.attr_set = MOUNT_ATTR_RDONLY;
  return call(SYS_mount_setattr, kAtFdcwd, target, 0, &wanted, sizeof wanted);
}

long pivot_here() {
  // With both arguments "." the old root lands on top of the new one and can be detached at once.
  long failed = call(SYS_pivot_root, ".", ".");
  if (failed == 0) failed = call(SYS_umount2, ".", kUnmountDetach);
  if (failed == 0) failed = call(SYS_chdir, "/");
  return failed;
}

}  // namespace cove::sandbox
