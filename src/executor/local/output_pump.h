#pragma once
#include <chrono>
#include <stop_token>
#include <string_view>

#include "executor/local/process_tree.h"
#include "executor/output_capture.h"

namespace cove {

enum class PumpEnd : unsigned char { Exited, Timeout, Cancelled };

struct PumpJob {
  std::string_view stdin_data;
  std::chrono::steady_clock::time_point deadline;
  std::stop_token cancel;
};

// Feeds a process tree its stdin and drains its output until the tree is gone; ends it at the
// deadline or when cancelled. Blocks; returns what came first.
PumpEnd pump(ProcessTree& tree, const PumpJob& job, OutputCapture& out, OutputCapture& err);

}  // namespace cove
