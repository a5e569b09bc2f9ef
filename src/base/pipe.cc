#include "base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cove {
namespace {

constexpr int kFirst = 4;

Result<> lift(UniqueFd& fd) {
  if (fd.get() >= kFirst) return {};
  UniqueFd high(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirst));
  if (!high) return Err(Error::from_errno("duplicating a descriptor"));
  fd = std::move(high);
  return {};
}

}  // namespace

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Err(Error::from_errno("creating a pipe"));
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  COVE_TRY(lift(pipe.read));
  COVE_TRY(lift(pipe.write));
  return pipe;
}

}  // namespace cove
