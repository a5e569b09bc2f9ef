#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/bench_report.h"

namespace cove {

namespace {

constexpr double kWidth = 860;
constexpr double kLabelWidth = 220;
constexpr double kPlotLeft = kLabelWidth + 10;
constexpr double kPlotRight = kWidth - 70;
constexpr double kBarHeight = 20;
constexpr double kBarStep = 30;
constexpr double kPanelHeight = 240;

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

// Maps values to pixels by their logarithm, from one power of ten to another.
class LogScale {
 public:
  LogScale(double smallest, double largest, double from, double to)
      : low_(std::floor(std::log10(std::max(smallest, 1e-3)))),
        high_(std::max(std::ceil(std::log10(std::max(largest, 1e-3))), low_ + 1)),
        from_(from),
        to_(to) {}
  double at(double value) const {
    const double share = (std::log10(std::max(value, 1e-3)) - low_) / (high_ - low_);
    return from_ + share * (to_ - from_);
  }
  std::vector<double> ticks() const {
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(high_ - low_) + 1);
    for (int power = static_cast<int>(low_); power <= static_cast<int>(high_); ++power) {
      result.push_back(std::pow(10, power));
    }
    return result;
  }

 private:
  double low_;
  double high_;
  double from_;
  double to_;
};

std::string text_at(double x, double y, const std::string& text, const char* extra) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, extra,
                     escape_xml(text));
}

// Medians, one bar a row; the whisker ends at p99.
std::string bars(const BenchReport& report, double top, double& bottom) {
  std::vector<const LatencyRow*> rows;
  double smallest = 1e9;
  double largest = 0;
  for (const LatencyRow& row : report.rows) {
    if (row.samples.empty()) continue;
    rows.push_back(&row);
    smallest = std::min(smallest, row.samples.median());
    largest = std::max(largest, row.samples.p99());
  }
  bottom = top + 20 + static_cast<double>(rows.size()) * kBarStep;
  if (rows.empty()) return "";
  // The scale starts a little below the smallest bar, so that this one has a length too.
  const LogScale x(smallest / 2, largest, kPlotLeft, kPlotRight);
  std::string svg =
      text_at(kPlotLeft, top, "One run of print(1): median, whisker to p99 (ms, log scale)",
              "class=\"title\"");
  for (const double tick : x.ticks()) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n",
        x.at(tick), top + 10, bottom);
    svg += text_at(x.at(tick), bottom + 16, fmt::format("{:g}", tick), "text-anchor=\"middle\"");
  }
  double y = top + 16;
  for (const LatencyRow* row : rows) {
    const double median = row->samples.median();
    const bool ours = row->name.starts_with("Cove") || row->name.starts_with("cove");
    svg += text_at(kLabelWidth, y + 15, row->name, "text-anchor=\"end\"");
    svg += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n",
        ours ? "ours" : "other", kPlotLeft, y, x.at(median) - kPlotLeft, kBarHeight);
    svg += fmt::format(
        "<line class=\"whisker\" x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
        x.at(median), x.at(row->samples.p99()), y + kBarHeight / 2);
    svg += text_at(x.at(row->samples.p99()) + 6, y + 15, fmt::format("{:.3g}", median),
                   "class=\"value\"");
    y += kBarStep;
  }
  bottom += 20;
  return svg;
}

std::string polyline(const std::vector<std::pair<double, double>>& points, const char* css) {
  std::string list;
  std::string dots;
  for (const auto& [x, y] : points) {
    list += fmt::format("{:.1f},{:.1f} ", x, y);
    dots += fmt::format("<circle class=\"{}-dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n", css,
                        x, y);
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n{}", css, list, dots);
}

std::string concurrency_panel(const BenchReport& report, double top) {
  if (report.concurrency.empty()) return "";
  double smallest = 1e9;
  double largest = 0;
  for (const ConcurrencyPoint& point : report.concurrency) {
    smallest = std::min(smallest, point.samples.median());
    largest = std::max(largest, point.samples.p99());
  }
  const double plot_top = top + 16;
  const double plot_bottom = top + kPanelHeight - 40;
  const LogScale y(smallest, largest, plot_bottom, plot_top);
  std::string svg = text_at(kPlotLeft, top, "Latency against concurrent callers (ms, log scale)",
                            "class=\"title\"");
  for (const double tick : y.ticks()) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
        kPlotLeft, y.at(tick), kPlotRight, y.at(tick));
    svg += text_at(kPlotLeft - 8, y.at(tick) + 4, fmt::format("{:g}", tick), "text-anchor=\"end\"");
  }
  std::vector<std::pair<double, double>> medians;
  std::vector<std::pair<double, double>> tails;
  const double step = (kPlotRight - kPlotLeft - 60) /
                      static_cast<double>(std::max<std::size_t>(report.concurrency.size() - 1, 1));
  double x = kPlotLeft + 30;
  for (const ConcurrencyPoint& point : report.concurrency) {
    medians.emplace_back(x, y.at(point.samples.median()));
    tails.emplace_back(x, y.at(point.samples.p99()));
    svg += text_at(x, plot_bottom + 18, fmt::format("{}", point.callers), "text-anchor=\"middle\"");
    svg += text_at(x, plot_bottom + 34, fmt::format("{:.0f}/s", point.per_second),
                   "text-anchor=\"middle\" class=\"value\"");
    x += step;
  }
  svg += polyline(medians, "median") + polyline(tails, "tail");
  svg += text_at(kPlotRight - 20, medians.back().second + 4, "median", "class=\"value\"");
  svg += text_at(kPlotRight - 20, tails.back().second + 4, "p99", "class=\"value\"");
  return svg;
}

constexpr const char* kStyle = R"(<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 14px }
.value { fill: #57606a; font-size: 12px }
.grid { stroke: #d0d7de; stroke-width: 1 }
.other { fill: #8c959f } .ours { fill: #1f6feb }
.whisker { stroke: #24292f; stroke-width: 1.5 }
polyline { fill: none; stroke-width: 2 }
.median { stroke: #1f6feb } .median-dot { fill: #1f6feb }
.tail { stroke: #bc4c00; stroke-dasharray: 5 3 } .tail-dot { fill: #bc4c00 }
</style>
)";

}  // namespace

std::string as_svg(const BenchReport& report) {
  double bottom = 0;
  const std::string first = bars(report, 28, bottom);
  const std::string second = concurrency_panel(report, bottom + 40);
  const double height = bottom + 40 + kPanelHeight;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
      "height=\"{1:.0f}\" role=\"img\">\n<title>Cove benchmarks</title>\n{2}"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}{4}</svg>\n",
      kWidth, height, kStyle, first, second);
}

}  // namespace cove
