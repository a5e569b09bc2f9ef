#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace cove {

// What one part of check → build → run took. Absent: the backend cannot know.
struct StepReport {
  std::string name;
  std::chrono::microseconds duration{0};
  std::optional<std::chrono::microseconds> cpu = std::nullopt;
  std::optional<Bytes> peak_memory = std::nullopt;
};

// How a compiled program came to be.
struct CompileReport {
  bool cached = false;            // taken from the build cache: no compiler ran
  std::vector<StepReport> steps;  // those that were taken, in order
  std::string output;             // what the compilers printed, as they printed it
  bool output_truncated = false;
};

}  // namespace cove
