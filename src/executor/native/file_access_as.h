#pragma once
#include <sys/fsuid.h>
#include <unistd.h>

namespace cove {

// File access of this thread as another user, so that what it makes belongs to the guest: its tmpfs
// knows no other ids. Affects this thread only, and only where the process is root.
class FileAccessAs {
 public:
  FileAccessAs(uid_t uid, gid_t gid) : active_(::geteuid() == 0 && uid != 0) {
    if (!active_) return;
    ::setfsgid(gid);
    ::setfsuid(uid);
  }
  ~FileAccessAs() {
    if (!active_) return;
    ::setfsuid(::geteuid());
    ::setfsgid(::getegid());
  }
  FileAccessAs(const FileAccessAs&) = delete;
  FileAccessAs& operator=(const FileAccessAs&) = delete;

 private:
  bool active_;
};

}  // namespace cove
