#include "differential/observation.h"

#include <algorithm>

#include <fmt/format.h>

namespace cove::differential {
namespace {

constexpr std::size_t kShown = 600;

std::string visible(const std::string& text, std::size_t from) {
  std::string shown;
  for (const char c : text.substr(from, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = c == '\n' || (byte >= 0x20 && byte != 0x7f);
    shown += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  if (text.size() > from + kShown) shown += "...";
  return shown;
}

void compare(const std::string& what, const std::string& expected, const std::string& actual,
             std::string& report) {
  if (expected == actual) return;
  const auto [first, second] = std::ranges::mismatch(expected, actual);
  const auto same = static_cast<std::size_t>(first - expected.begin());
  const auto line = same == 0 ? std::string::npos : expected.rfind('\n', same - 1);
  const std::size_t from = line == std::string::npos ? 0 : line + 1;
  report += fmt::format("    {}, from byte {}:\n      expected: {}\n      actual:   {}\n", what,
                        from, visible(expected, from), visible(actual, from));
}

}  // namespace

std::string difference(const Observation& expected, const Observation& actual) {
  std::string report;
  compare("end", expected.end, actual.end, report);
  compare("stdout", expected.out, actual.out, report);
  compare("stderr", expected.err, actual.err, report);
  for (const auto& [name, content] : expected.files) {
    const auto found = actual.files.find(name);
    if (found == actual.files.end()) {
      report += fmt::format("    file {} is missing\n", name);
    } else {
      compare("file " + name, content, found->second, report);
    }
  }
  for (const auto& [name, content] : actual.files) {
    if (!expected.files.contains(name)) report += fmt::format("    file {} is too many\n", name);
  }
  return report;
}

}  // namespace cove::differential
