#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// The server's log: one JSON object a line, with the time in front. Thread-safe. Holds no code, no
// output and no key: callers pass fields that are safe to show.
class JsonLog {
 public:
  // "stderr", "off", or a file that is appended to (made with mode 0640).
  static Result<std::unique_ptr<JsonLog>> open(const std::string& where);

  void write(std::string_view level, std::string_view event, json::object fields);

 private:
  explicit JsonLog(UniqueFd owned, int fd) : owned_(std::move(owned)), fd_(fd) {}

  UniqueFd owned_;
  int fd_ = -1;  // -1: off
  std::mutex mutex_;
};

}  // namespace cove
