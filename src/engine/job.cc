#include "engine/job.h"

#include <array>
#include <utility>

namespace cove {
namespace {

constexpr auto kStates = std::to_array<std::string_view>({"queued", "running", "done", "failed"});

}  // namespace

std::string_view job_state_name(JobState state) {
  return kStates.at(std::to_underlying(state));
}

std::optional<JobState> job_state_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates.at(i) == name) return static_cast<JobState>(i);
  }
  return std::nullopt;
}

}  // namespace cove
