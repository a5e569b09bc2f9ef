#pragma once
#include <sys/resource.h>

#include <csignal>

namespace cove {

// For tests: as long as it lives no file of this process can be written past `size`. What is
// written is written up to there, as on a disk that fills up.
class FullDisk {
 public:
  explicit FullDisk(rlim_t size) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = size;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

}  // namespace cove
