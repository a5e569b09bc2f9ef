#include "sandbox/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cove::sandbox {
namespace {

// Newer than the headers of the oldest supported system (Linux 6.3).
constexpr unsigned kNoexecSeal = 0x0008U;
constexpr unsigned kExec = 0x0010U;

UniqueFd create(const char* name, MemoryUse use) {
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd fd(::memfd_create(name, flags | (use == MemoryUse::Program ? kExec : kNoexecSeal)));
  if (!fd && errno == EINVAL) fd.reset(::memfd_create(name, flags));
  return fd;
}

}  // namespace

Result<UniqueFd> sealed_memory(const char* name, std::string_view bytes, MemoryUse use) {
  UniqueFd fd = create(name, use);
  if (!fd) return Err(Error::from_errno("memfd_create"));
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(Error::from_errno("write to memory file"));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
      0) {
    return Err(Error::from_errno("seal memory file"));
  }
  return fd;
}

}  // namespace cove::sandbox
