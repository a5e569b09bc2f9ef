#include "base/parse_duration.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/strings.h"

namespace cove {
namespace {

std::uint64_t unit_milliseconds(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m" || unit == "min") return 60'000;
  if (unit == "h") return 3'600'000;
  return 0;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto wrong = [&] {
    return Err(
        Error(ErrorCode::InvalidRequest,
              "must be a duration such as \"1500ms\", \"10s\" or \"2m\", got " + quoted(text)));
  };
  const std::string_view trimmed = trim(text);
  const auto number = parse_decimal(trimmed);
  if (!number) return wrong();
  const std::uint64_t unit = unit_milliseconds(trim(trimmed.substr(number->length)));
  // Half a millisecond cannot be kept, so it is not accepted.
  if (unit == 0 || (unit == 1 && number->thousandths != 0)) return wrong();
  const auto total = number->times(unit);
  if (!total) return wrong();
  return std::chrono::milliseconds(static_cast<std::int64_t>(*total));
}

std::string format_duration(std::chrono::milliseconds duration) {
  const std::int64_t ms = duration.count();
  if (ms != 0 && ms % 3'600'000 == 0) return fmt::format("{} h", ms / 3'600'000);
  if (ms != 0 && ms % 60'000 == 0) return fmt::format("{} min", ms / 60'000);
  if (ms % 1000 == 0) return fmt::format("{} s", ms / 1000);
  return fmt::format("{} ms", ms);
}

}  // namespace cove
