#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

// "1500ms", "10s", "0.5s", "2m", "1h". A bare number is refused: seconds and milliseconds are too
// easily mistaken for each other. The error says what is understood.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// "1500 ms", "10 s", "2 min": the largest unit that divides it.
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace cove
