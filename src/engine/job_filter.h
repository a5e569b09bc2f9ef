#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "engine/job.h"

namespace cove {

// Which jobs to list.
struct JobFilter {
  std::string caller;  // empty: everybody's
  std::optional<JobState> state;
  std::size_t limit = 100;
  std::string before;  // an id: only older ones (paging)
};

}  // namespace cove
