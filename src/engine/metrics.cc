#include "engine/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

namespace cove {
namespace {

[[noreturn]] void bug(std::string_view name, std::string_view problem) {
  fmt::print(stderr, "metric {}: {}\n", name, problem);
  std::abort();
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// Help escapes the backslash and the line feed; a label's value the quotation mark as well.
std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

// {a="1",b="2"}, or nothing at all. `bound` is a histogram's "le", behind the others.
std::string label_text(const MetricLabels& labels, const std::string& bound = "") {
  std::string out;
  for (const auto& [name, value] : labels) {
    fmt::format_to(std::back_inserter(out), "{}{}=\"{}\"", out.empty() ? "" : ",", name,
                   escaped(value, true));
  }
  if (!bound.empty()) {
    fmt::format_to(std::back_inserter(out), "{}le=\"{}\"", out.empty() ? "" : ",", bound);
  }
  return out.empty() ? out : "{" + out + "}";
}

}  // namespace

void Metrics::declare(std::string name, Family family) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = families_.emplace(std::move(name), std::move(family));
  if (!is_new) bug(place->first, "declared twice");
}

void Metrics::declare_counter(std::string name, std::string help) {
  declare(std::move(name), {Kind::Counter, std::move(help), {}, {}});
}

void Metrics::declare_gauge(std::string name, std::string help) {
  declare(std::move(name), {Kind::Gauge, std::move(help), {}, {}});
}

void Metrics::declare_histogram(std::string name, std::string help, std::vector<double> bounds) {
  if (!std::ranges::is_sorted(bounds, std::less_equal<>())) bug(name, "bounds must rise");
  declare(std::move(name), {Kind::Histogram, std::move(help), std::move(bounds), {}});
}

bool Metrics::is_declared(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return families_.contains(name);
}

Metrics::Series& Metrics::find_series(std::string_view name, const MetricLabels& labels,
                                      bool histogram) {
  const auto family = families_.find(name);
  if (family == families_.end()) bug(name, "not declared");
  if ((family->second.kind == Kind::Histogram) != histogram) bug(name, "is of another kind");
  auto& series = family->second.series;
  const auto known = series.find(labels);
  if (known != series.end()) return known->second;
  MetricLabels stored = labels;
  if (series.size() >= kMaxSeries) {
    for (auto& [label, value] : stored) value = "other";
  }
  auto& made = series[std::move(stored)];
  if (histogram) made.buckets.resize(family->second.bounds.size() + 1);
  return made;
}

void Metrics::add(std::string_view name, const MetricLabels& labels, double value) {
  const std::lock_guard lock(mutex_);
  find_series(name, labels, false).value += value;
}

void Metrics::set(std::string_view name, const MetricLabels& labels, double value) {
  const std::lock_guard lock(mutex_);
  find_series(name, labels, false).value = value;
}

void Metrics::observe(std::string_view name, const MetricLabels& labels, double value) {
  const std::lock_guard lock(mutex_);
  Series& series = find_series(name, labels, true);
  const auto& bounds = families_.find(name)->second.bounds;
  const auto bucket = std::ranges::lower_bound(bounds, value) - bounds.begin();
  ++series.buckets[static_cast<std::size_t>(bucket)];
  series.value += value;
}

void Metrics::add_collector(std::function<void()> collector) {
  const std::lock_guard lock(collectors_mutex_);
  collectors_.push_back(std::move(collector));
}

void Metrics::write_histogram(std::string& out, const std::string& name, const Family& family,
                              const MetricLabels& labels, const Series& series) {
  std::uint64_t count = 0;
  auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < series.buckets.size(); ++i) {
    count += series.buckets[i];
    const std::string bound = i < family.bounds.size() ? number(family.bounds[i]) : "+Inf";
    fmt::format_to(to, "{}_bucket{} {}\n", name, label_text(labels, bound), count);
  }
  fmt::format_to(to, "{}_sum{} {}\n", name, label_text(labels), number(series.value));
  fmt::format_to(to, "{}_count{} {}\n", name, label_text(labels), count);
}

void Metrics::write_family(std::string& out, const std::string& name, const Family& family) {
  static constexpr std::string_view kTypes[] = {"counter", "gauge", "histogram"};
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name,
                 escaped(family.help, false), name, kTypes[static_cast<int>(family.kind)]);
  for (const auto& [labels, series] : family.series) {
    if (family.kind == Kind::Histogram) {
      write_histogram(out, name, family, labels, series);
    } else {
      fmt::format_to(std::back_inserter(out), "{}{} {}\n", name, label_text(labels),
                     number(series.value));
    }
  }
}

std::string Metrics::text() const {
  std::vector<std::function<void()>> collectors;
  {
    const std::lock_guard lock(collectors_mutex_);
    collectors = collectors_;
  }
  for (const auto& collect : collectors) collect();
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) write_family(out, name, family);
  return out;
}

}  // namespace cove
