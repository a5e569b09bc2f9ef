#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cove {

// The figures of a server at one moment, read from its /metrics text. Lines that are not understood
// are passed over: the text comes from elsewhere.
class MetricsSample {
 public:
  static MetricsSample parse(std::string_view text);

  // The sum of all series of that name, or of those that carry this label ("status=\"success\"").
  double sum(std::string_view name, std::string_view label = "") const;
  // (bound in seconds, how many are not above it), rising, over all label sets of a histogram.
  std::vector<std::pair<double, double>> buckets(std::string_view name) const;

 private:
  struct Series {
    std::string labels;
    double value = 0;
  };
  std::multimap<std::string, Series, std::less<>> series_;
};

// The quantile of what came between two samples of a histogram, in seconds: the bound of the bucket
// that holds it. Negative: nothing came.
double quantile_between(const MetricsSample& before, const MetricsSample& after,
                        std::string_view histogram, double share);

}  // namespace cove
