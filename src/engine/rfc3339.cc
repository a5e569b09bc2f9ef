#include "engine/rfc3339.h"

#include <charconv>

#include <fmt/format.h>

namespace cove {

using std::chrono::floor;
using std::chrono::milliseconds;

std::string format_rfc3339(std::chrono::system_clock::time_point time) {
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

namespace {

// `count` digits at the start of `text`, which is shortened by them.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count || text.find_first_not_of("0123456789") < count) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

// The fraction of a second in microseconds.
std::optional<int> take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 6) return std::nullopt;
  auto value = take_digits(text, digits);
  for (std::size_t i = digits; value && i < 6; ++i) *value *= 10;
  return value;
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> parse_rfc3339(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take(text, 'T')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  const auto fraction = take_fraction(text);
  if (!second || !fraction || text != "Z") return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  // The clock counts nanoseconds in 64 bits: what lies beyond (the years 1678 to 2261 are whole)
  // has no time point and would come out as another.
  if (*year < 1678 || *year > 2261) return std::nullopt;
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) + std::chrono::microseconds(*fraction);
}

}  // namespace cove
