#include "cli/read_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace cove {

Result<std::string> read_input(const std::string& path, Bytes limit) {
  const auto refuse = [&](int problem) {
    return Err(Error(
        ErrorCode::InvalidRequest,
        fmt::format("cannot read {}: {}", quoted(path), std::system_category().message(problem))));
  };
  UniqueFd opened;
  if (path != "-") {
    opened.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened) return refuse(errno);
  }
  const int fd = opened ? opened.get() : STDIN_FILENO;
  std::string content;
  std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(errno);
    if (got == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(got));
    if (content.size() > limit.value) {
      return Err(Error(ErrorCode::InvalidRequest,
                       fmt::format("{} is larger than {}", quoted(path), format_size(limit))));
    }
  }
}

}  // namespace cove
