#include "base/fill_text.h"

#include <algorithm>

namespace cove {
namespace {

constexpr char kMark = '\0';

}  // namespace

std::string fill_text(std::string_view text, std::span<const Filling> fillings) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (text.front() == kMark) {
      text.remove_prefix(1);
      const auto end = std::min(text.find(kMark), text.size());
      out += text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      continue;
    }
    const auto found = std::ranges::find_if(
        fillings, [&](const Filling& filling) { return text.starts_with(filling.placeholder); });
    if (found == fillings.end()) {
      out += text.front();
      text.remove_prefix(1);
    } else {
      out += found->value;
      text.remove_prefix(found->placeholder.size());
    }
  }
  return out;
}

std::string literal(std::string_view name) {
  std::string out(1, kMark);
  out += name;
  out += kMark;
  return out;
}

}  // namespace cove
