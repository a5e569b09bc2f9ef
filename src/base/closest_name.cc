#include "base/closest_name.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cove {
namespace {

constexpr std::size_t kLongest = 64;  // of a name that is worth comparing
constexpr std::size_t kMostWrong = 3;

// The least number of letters to insert, remove, replace or swap with the next one. Only the last
// two rows of the table are kept.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string closest_name(std::string_view wrong, const std::vector<std::string>& names) {
  if (wrong.empty() || wrong.size() > kLongest) return "";
  std::string best;
  // The dashes of an option are never wrong, and many letters wrong are another word.
  const std::size_t letters = wrong.size() - std::min(wrong.find_first_not_of('-'), wrong.size());
  if (letters == 0) return "";
  std::size_t least = std::clamp<std::size_t>(letters / 3, 1, kMostWrong) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t distance = edit_distance(wrong, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names) {
  const std::string name = closest_name(wrong, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace cove
