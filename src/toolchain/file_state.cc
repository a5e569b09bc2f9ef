#include "toolchain/file_state.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "runtime/symlink_chain.h"

namespace cove {

std::string file_state(const std::string& path) {
  const std::string real = symlink_chain(path).back();
  struct stat facts = {};
  if (::stat(real.c_str(), &facts) != 0) return real + " is not there";
  return fmt::format("{} {} {} {}.{}", real, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

}  // namespace cove
