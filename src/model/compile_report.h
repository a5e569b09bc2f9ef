#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace cove {

// How long one part of check → build → run took.
struct StepTime {
  std::string name;
  std::chrono::microseconds duration{0};
};

// How a compiled program came to be.
struct CompileReport {
  bool cached = false;          // taken from the build cache: no compiler ran
  std::vector<StepTime> steps;  // those that were taken, in order
  std::string output;           // what the compilers printed, as they printed it
  bool output_truncated = false;
};

}  // namespace cove
