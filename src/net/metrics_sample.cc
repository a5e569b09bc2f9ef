#include "net/metrics_sample.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/strings.h"

namespace cove {

namespace {

std::optional<double> number(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  double out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

MetricsSample MetricsSample::parse(std::string_view text) {
  MetricsSample out;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t space = line.rfind(' ');
    if (line.starts_with('#') || space == std::string_view::npos) continue;
    const auto value = number(trim(line.substr(space + 1)));
    if (!value) continue;
    const std::string_view head = line.substr(0, space);
    const std::size_t brace = head.find('{');
    Series series;
    series.value = *value;
    if (brace != std::string_view::npos) series.labels = std::string(head.substr(brace));
    out.series_.emplace(std::string(head.substr(0, brace)), std::move(series));
  }
  return out;
}

double MetricsSample::sum(std::string_view name, std::string_view label) const {
  double total = 0;
  const auto [first, last] = series_.equal_range(name);
  for (auto it = first; it != last; ++it) {
    if (it->second.labels.find(label) != std::string::npos) total += it->second.value;
  }
  return total;
}

std::vector<std::pair<double, double>> MetricsSample::buckets(std::string_view name) const {
  std::map<double, double> counts;
  const auto [first, last] = series_.equal_range(std::string(name) + "_bucket");
  for (auto it = first; it != last; ++it) {
    constexpr std::string_view kMark = "le=\"";
    const std::string_view labels = it->second.labels;
    const std::size_t at = labels.find(kMark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = labels.substr(at + kMark.size());
    if (const auto bound = number(rest.substr(0, rest.find('"')))) {
      counts[*bound] += it->second.value;
    }
  }
  return {counts.begin(), counts.end()};
}

double quantile_between(const MetricsSample& before, const MetricsSample& after,
                        std::string_view histogram, double share) {
  const auto now = after.buckets(histogram);
  std::map<double, double> earlier;
  for (const auto& [bound, count] : before.buckets(histogram)) earlier[bound] = count;
  if (now.empty()) return -1;
  const double total = now.back().second - earlier[now.back().first];
  if (total <= 0) return -1;
  double finite = 0;
  for (const auto& [bound, count] : now) {
    if (std::isfinite(bound)) finite = bound;
    if (count - earlier[bound] >= share * total) return finite;
  }
  return finite;
}

}  // namespace cove
