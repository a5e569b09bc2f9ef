#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "session/session.h"

namespace cove {

// What an interpreter may say. All of it is foreign: a cell can forge its own results, and nothing
// else hangs on these words.
struct RunnerReady {};
struct RunnerStarted {};  // from here on an interrupt reaches the cell

struct RunnerDisplay {
  RichData data;
};

struct RunnerDone {
  std::uint64_t number = 0;  // of the cell that it answers
  bool ok = false;
  std::optional<RichData> value;
  std::optional<CellError> error;
};

// Before a branch is made: what will be missing in it.
struct RunnerForked {
  std::vector<std::string> lost_threads;
};

// The interpreter could not do what it was told (fork, mostly).
struct RunnerRefused {
  std::string reason;
};

using RunnerMessage = std::variant<RunnerReady, RunnerStarted, RunnerDisplay, RunnerDone,
                                   RunnerForked, RunnerRefused>;

// One frame's text to a message; bounded in depth, fields and sizes. Unknown fields are refused:
// both sides are of one version.
Result<RunnerMessage> parse_runner_message(std::string_view text);

}  // namespace cove
