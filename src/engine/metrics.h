#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cove {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Counters, gauges and histograms, written in the Prometheus text format. Thread-safe. A family is
// declared once, by name, with its help text; using an undeclared one is a bug and aborts.
class Metrics {
 public:
  void declare_counter(std::string name, std::string help);
  void declare_gauge(std::string name, std::string help);
  void declare_histogram(std::string name, std::string help, std::vector<double> bounds);

  void add(std::string_view name, const MetricLabels& labels, double value = 1);
  void set(std::string_view name, const MetricLabels& labels, double value);
  void observe(std::string_view name, const MetricLabels& labels, double value);

  std::string text() const;  // version 0.0.4 of the text format
};

}  // namespace cove
