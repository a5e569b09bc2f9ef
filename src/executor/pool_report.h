#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace cove {

// How the waiting guests or containers of one language are used.
struct PoolReport {
  std::string language;
  std::size_t ready = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;  // served cold
  std::uint64_t started = 0;
  std::string last_error;
};

}  // namespace cove
