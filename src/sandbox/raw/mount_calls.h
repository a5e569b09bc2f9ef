#pragma once
// Mounting, with raw system calls. All return -errno on failure.
#include <stdint.h>

namespace cove::sandbox {

long make_private();
// A detached copy of what is mounted at `path`; a descriptor or -errno.
long open_tree_clone(const char* path, bool recursive);
// Sets MOUNT_ATTR_* on a detached tree and attaches it at `target`; closes the descriptor.
long attach_tree(int tree, const char* target, uint64_t attributes);
long mount_tmpfs(const char* target, const char* options, uint64_t flags);
long mount_proc(const char* target);
// Shows `source` at `target` too, with the flags of the mount that it lies on: one system call.
long bind_plainly(const char* source, const char* target);
long remount_read_only(const char* target);
// The current directory becomes the root.
long pivot_here();

}  // namespace cove::sandbox
