#include "cli/console.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/json.h"
#include "base/strings.h"
#include "cli/exit_code.h"

namespace cove {

bool wants_colour(int fd) {
  // Nothing in this process changes the environment while threads run.
  const char* const no_colour = ::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  return ::isatty(fd) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

std::string tinted(std::string_view text, Tint tint, int fd) {
  if (tint == Tint::None || !wants_colour(fd)) return std::string(text);
  std::string_view code = "1";
  if (tint == Tint::Good) code = "32";
  if (tint == Tint::Bad) code = "31";
  if (tint == Tint::Quiet) code = "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void say(std::string_view message) {
  (void)write_fully(STDERR_FILENO,
                    fmt::format("{} {}\n", tinted("cove:", Tint::Strong, STDERR_FILENO), message));
}

bool write_fully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN) {
      // The descriptor is shared with somebody who made it non-blocking.
      pollfd ready{fd, POLLOUT, 0};
      (void)::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

int report_error(const Error& error, bool as_json) {
  if (!as_json) {
    say(error.message());
    return kExitRefused;
  }
  json::object detail{{"code", error_code_name(error.code())},
                      {"message", sanitize_utf8(error.message())}};
  if (!error.field().empty()) detail["field"] = error.field();
  (void)write_fully(STDOUT_FILENO,
                    json::serialize(json::object{{"error", std::move(detail)}}) + "\n");
  return kExitRefused;
}

}  // namespace cove
