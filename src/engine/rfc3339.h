#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cove {

// "2026-11-15T09:30:00.250Z": UTC, milliseconds.
std::string format_rfc3339(std::chrono::system_clock::time_point time);

// The same form back; the fraction may be absent or have up to six digits. Nothing but UTC.
std::optional<std::chrono::system_clock::time_point> parse_rfc3339(std::string_view text);

}  // namespace cove
