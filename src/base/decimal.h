#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cove {

// The number at the start of "1.5g", exactly: `whole` and `thousandths`, never a rounded double.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t thousandths = 0;
  std::size_t length = 0;  // characters taken

  // This times `unit`, or nothing when it does not fit 63 bits.
  std::optional<std::uint64_t> times(std::uint64_t unit) const;
};

// Digits, then perhaps a point and one to three digits. Nothing when there is no number, or more
// digits than that.
std::optional<Decimal> parse_decimal(std::string_view text);

}  // namespace cove
