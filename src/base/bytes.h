#pragma once
#include <compare>
#include <cstdint>

namespace cove {

// A number of bytes, so that a size is never mistaken for a count.
struct Bytes {
  std::uint64_t value = 0;

  constexpr auto operator<=>(const Bytes&) const = default;

  static constexpr Bytes kib(std::uint64_t n) { return {n << 10U}; }
  static constexpr Bytes mib(std::uint64_t n) { return {n << 20U}; }
  static constexpr Bytes gib(std::uint64_t n) { return {n << 30U}; }
};

}  // namespace cove
