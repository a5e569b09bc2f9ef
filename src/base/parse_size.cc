#include "base/parse_size.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/strings.h"

namespace cove {
namespace {

constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};

// The exponent of 1024 that a suffix stands for, or -1.
int unit_exponent(std::string_view suffix) {
  std::string lower;
  for (const char c : suffix) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (lower.empty() || lower == "b") return 0;
  const std::size_t exponent = std::string_view("kmgt").find(lower.front());
  if (exponent == std::string_view::npos) return -1;
  const std::string_view rest = std::string_view(lower).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return -1;
  return static_cast<int>(exponent) + 1;
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
  const auto wrong = [&] {
    return Err(Error(ErrorCode::InvalidRequest,
                     "must be a size such as \"256m\", \"1g\", \"64k\", \"512MiB\" or a number of "
                     "bytes, got " +
                         quoted(text)));
  };
  const std::string_view trimmed = trim(text);
  const auto number = parse_decimal(trimmed);
  if (!number) return wrong();
  const int exponent = unit_exponent(trim(trimmed.substr(number->length)));
  if (exponent < 0 || (exponent == 0 && number->thousandths != 0)) return wrong();
  const auto bytes = number->times(std::uint64_t{1} << (10U * static_cast<unsigned>(exponent)));
  if (!bytes) return wrong();
  return Bytes{*bytes};
}

std::string format_size(Bytes size) {
  std::size_t unit = 0;
  std::uint64_t scale = 1;
  while (unit + 1 < kUnits.size() && size.value >= scale * 1024) {
    scale *= 1024;
    ++unit;
  }
  if (size.value % scale == 0) return fmt::format("{} {}", size.value / scale, kUnits.at(unit));
  return fmt::format("{:.1f} {}", static_cast<double>(size.value) / static_cast<double>(scale),
                     kUnits.at(unit));
}

}  // namespace cove
