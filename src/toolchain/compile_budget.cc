#include "toolchain/compile_budget.h"

#include <algorithm>

#include "base/parse_duration.h"

namespace cove {

std::optional<CompileBudget::Clock::time_point> CompileBudget::until() const {
  if (!most_) return std::nullopt;
  return started_ + *most_;
}

std::chrono::milliseconds CompileBudget::for_step(std::chrono::milliseconds own) const {
  if (!most_) return own;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(started_ + *most_ - Clock::now());
  return std::min(own, std::max(left, std::chrono::milliseconds(1)));
}

std::string CompileBudget::describe() const {
  return format_duration(most_.value_or(std::chrono::milliseconds(0)));
}

}  // namespace cove
