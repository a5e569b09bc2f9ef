#pragma once
#include <cstddef>
#include <vector>

namespace cove {

// Durations of one kind of thing, in milliseconds.
class Samples {
 public:
  void add(double milliseconds) { values_.push_back(milliseconds); }
  void add_all(const Samples& other) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  }
  bool empty() const { return values_.empty(); }
  std::size_t count() const { return values_.size(); }

  double median() const { return quantile(0.5); }
  double p99() const { return quantile(0.99); }
  double mean() const;
  // The smallest sample that at least the share `q` of all does not exceed; 0 without samples.
  double quantile(double q) const;

 private:
  std::vector<double> values_;
};

}  // namespace cove
