#include "net/text_table.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/strings.h"
#include "engine/rfc3339.h"

namespace cove {

namespace {

// In characters, so that names in any script line up as well as they can.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> cells = rows;
  std::vector<std::size_t> widths;
  for (auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = escape_file_name(row[i]);
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string out;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

std::string age_of(const std::string& time) {
  // What a clock in nanoseconds can hold: the text is a server's.
  const auto parsed = time > "1970" && time < "2200" ? parse_rfc3339(time) : std::nullopt;
  if (!parsed) return "-";
  const auto since =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() - *parsed);
  const auto seconds = std::max<long long>(0, since.count());
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  if (seconds < 172'800) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86'400);
}

}  // namespace cove
