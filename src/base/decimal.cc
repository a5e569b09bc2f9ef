#include "base/decimal.h"

#include <charconv>
#include <limits>

namespace cove {
namespace {

constexpr std::size_t kFractionDigits = 3;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<std::uint64_t> Decimal::times(std::uint64_t unit) const {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (unit != 0 && whole > kMax / unit) return std::nullopt;
  const std::uint64_t product = whole * unit;
  // In two parts, so that multiplying a large unit by the fraction does not overflow.
  const std::uint64_t fraction = (unit / 1000) * thousandths + (unit % 1000) * thousandths / 1000;
  if (fraction > kMax - product) return std::nullopt;
  return product + fraction;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal out;
  const char* const begin = text.data();
  const auto [after, problem] = std::from_chars(begin, begin + text.size(), out.whole);
  if (problem != std::errc{}) return std::nullopt;
  out.length = static_cast<std::size_t>(after - begin);
  if (out.length == text.size() || text[out.length] != '.') return out;

  std::size_t digits = 0;
  for (++out.length; out.length < text.size() && is_digit(text[out.length]); ++out.length) {
    if (++digits > kFractionDigits) return std::nullopt;
    out.thousandths = out.thousandths * 10 + static_cast<std::uint64_t>(text[out.length] - '0');
  }
  if (digits == 0) return std::nullopt;
  for (; digits < kFractionDigits; ++digits) out.thousandths *= 10;
  return out;
}

}  // namespace cove
