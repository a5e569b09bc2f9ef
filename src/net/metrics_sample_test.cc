#include "net/metrics_sample.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

constexpr const char* kText =
    "# HELP cove_executions_total Executions.\n"
    "# TYPE cove_executions_total counter\n"
    "cove_executions_total{language=\"python\",status=\"success\"} 3\n"
    "cove_executions_total{language=\"bash\",status=\"failed\"} 2\n"
    "cove_jobs_running 1\n"
    "cove_run_seconds_bucket{language=\"python\",le=\"0.001\"} 6\n"
    "cove_run_seconds_bucket{language=\"python\",le=\"0.01\"} 9\n"
    "cove_run_seconds_bucket{language=\"python\",le=\"+Inf\"} 10\n"
    "garbage\nmore garbage {\nname x\n";

TEST(MetricsSample, AddsUpSeries) {
  const auto sample = MetricsSample::parse(kText);
  EXPECT_EQ(sample.sum("cove_executions_total"), 5);
  EXPECT_EQ(sample.sum("cove_executions_total", "status=\"success\""), 3);
  EXPECT_EQ(sample.sum("cove_jobs_running"), 1);
  EXPECT_EQ(sample.sum("unknown"), 0);
}

TEST(MetricsSample, QuantilesAreOfWhatCameBetween) {
  const auto sample = MetricsSample::parse(kText);
  const auto empty = MetricsSample::parse("");
  EXPECT_DOUBLE_EQ(quantile_between(empty, sample, "cove_run_seconds", 0.5), 0.001);
  EXPECT_DOUBLE_EQ(quantile_between(empty, sample, "cove_run_seconds", 0.9), 0.01);
  EXPECT_DOUBLE_EQ(quantile_between(empty, sample, "cove_run_seconds", 0.99), 0.01);
  EXPECT_LT(quantile_between(sample, sample, "cove_run_seconds", 0.5), 0);
}

}  // namespace
}  // namespace cove
