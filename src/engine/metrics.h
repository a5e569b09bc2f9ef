#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cove {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Counters, gauges and histograms, written in the Prometheus text format. Thread-safe. A family is
// declared once, by name, with its help text; using an undeclared one is a bug and aborts.
class Metrics {
 public:
  // A family holds no more label sets than this; values of further ones become "other", so that
  // nobody can fill the memory with names.
  static constexpr std::size_t kMaxSeries = 500;

  void declare_counter(std::string name, std::string help);
  void declare_gauge(std::string name, std::string help);
  void declare_histogram(std::string name, std::string help, std::vector<double> bounds);

  bool is_declared(std::string_view name) const;

  void add(std::string_view name, const MetricLabels& labels, double value = 1);
  // A gauge's value, or the total of a counter that is kept elsewhere.
  void set(std::string_view name, const MetricLabels& labels, double value);
  void observe(std::string_view name, const MetricLabels& labels, double value);

  // Called at the start of each text(), without a lock held: asks others for their figures and
  // set()s them. Must not call text().
  void add_collector(std::function<void()> collector);

  std::string text() const;  // version 0.0.4 of the text format

 private:
  enum class Kind : unsigned char { Counter, Gauge, Histogram };
  struct Series {
    double value = 0;                    // of a histogram: the sum
    std::vector<std::uint64_t> buckets;  // not cumulated; the last is past every bound
  };
  struct Family {
    Kind kind = Kind::Counter;
    std::string help;
    std::vector<double> bounds;
    std::map<MetricLabels, Series> series;
  };

  void declare(std::string name, Family family);
  Series& find_series(std::string_view name, const MetricLabels& labels, bool histogram);
  static void write_family(std::string& out, const std::string& name, const Family& family);
  static void write_histogram(std::string& out, const std::string& name, const Family& family,
                              const MetricLabels& labels, const Series& series);

  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;
  mutable std::mutex collectors_mutex_;
  std::vector<std::function<void()>> collectors_;
};

}  // namespace cove
