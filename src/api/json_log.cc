#include "api/json_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "base/write_json.h"
#include "engine/rfc3339.h"

namespace cove {

Result<std::unique_ptr<JsonLog>> JsonLog::open(const std::string& where) {
  if (where == "off") return std::unique_ptr<JsonLog>(new JsonLog(UniqueFd(), -1));
  if (where == "stderr") {
    return std::unique_ptr<JsonLog>(new JsonLog(UniqueFd(), STDERR_FILENO));
  }
  if (!where.starts_with('/')) {
    return Err(Error::invalid_field("log", "must be stderr, off or an absolute path"));
  }
  UniqueFd file(::open(where.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
  if (!file) return Err(Error::from_errno("opening the log " + where));
  const int fd = file.get();
  return std::unique_ptr<JsonLog>(new JsonLog(std::move(file), fd));
}

void JsonLog::write(std::string_view level, std::string_view event, json::object fields) {
  if (fd_ < 0) return;
  json::object line{{"time", format_rfc3339(std::chrono::system_clock::now())},
                    {"level", level},
                    {"event", event}};
  for (auto& field : fields) line[field.key()] = std::move(field.value());
  const std::string text = write_json(line) + "\n";
  const std::lock_guard lock(mutex_);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a full disk or a closed pipe must not stop the server
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace cove
