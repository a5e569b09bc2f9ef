#include "engine/metrics.h"

#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine_metrics.h"

namespace cove {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsTest, WritesTheTextFormat) {
  Metrics metrics;
  metrics.declare_counter("b_total", "How many.");
  metrics.declare_gauge("a", "How full.");
  metrics.add("b_total", {{"language", "python"}, {"status", "success"}});
  metrics.add("b_total", {{"language", "python"}, {"status", "success"}}, 2);
  metrics.set("a", {}, 0.5);
  EXPECT_EQ(metrics.text(),
            "# HELP a How full.\n# TYPE a gauge\na 0.5\n"
            "# HELP b_total How many.\n# TYPE b_total counter\n"
            "b_total{language=\"python\",status=\"success\"} 3\n");
}

TEST(MetricsTest, HistogramBucketsAreCumulated) {
  Metrics metrics;
  metrics.declare_histogram("t", "Time.", {0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) metrics.observe("t", {{"l", "x"}}, value);
  EXPECT_EQ(metrics.text(),
            "# HELP t Time.\n# TYPE t histogram\n"
            "t_bucket{l=\"x\",le=\"0.1\"} 2\nt_bucket{l=\"x\",le=\"1\"} 3\n"
            "t_bucket{l=\"x\",le=\"+Inf\"} 4\nt_sum{l=\"x\"} 7.65\nt_count{l=\"x\"} 4\n");
}

TEST(MetricsTest, EscapesLabelsAndHelp) {
  Metrics metrics;
  metrics.declare_gauge("g", "a \"word\", a \\ and\na line");
  metrics.set("g", {{"l", "a\"b\\c\nd"}}, std::numeric_limits<double>::infinity());
  EXPECT_EQ(metrics.text(),
            "# HELP g a \"word\", a \\\\ and\\na line\n# TYPE g gauge\n"
            "g{l=\"a\\\"b\\\\c\\nd\"} +Inf\n");
}

TEST(MetricsTest, LabelSetsAreBounded) {
  Metrics metrics;
  metrics.declare_counter("c", "");
  for (std::size_t i = 0; i < Metrics::kMaxSeries + 20; ++i) {
    metrics.add("c", {{"l", std::to_string(i)}});
  }
  EXPECT_THAT(metrics.text(), HasSubstr("c{l=\"other\"} 20\n"));
}

TEST(MetricsTest, CollectorsRunBeforeTheTextIsWritten) {
  Metrics metrics;
  metrics.declare_counter("hits_total", "");
  metrics.add_collector([&metrics] { metrics.set("hits_total", {{"language", "sh"}}, 41); });
  EXPECT_THAT(metrics.text(), HasSubstr("hits_total{language=\"sh\"} 41\n"));
}

TEST(MetricsTest, ThreadsMayCountAtOnce) {
  Metrics metrics;
  declare_engine_metrics(metrics);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&metrics] {
        for (int i = 0; i < 1000; ++i) {
          metrics.add("cove_output_bytes_total", {});
          metrics.observe("cove_run_seconds", {{"language", "sh"}}, 0.01);
          if (i % 100 == 0) static_cast<void>(metrics.text());
        }
      });
    }
  }
  EXPECT_THAT(metrics.text(), HasSubstr("cove_output_bytes_total 4000\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("cove_run_seconds_count{language=\"sh\"} 4000\n"));
}

TEST(MetricsTest, EngineMetricsStartAtZero) {
  Metrics metrics;
  declare_engine_metrics(metrics);
  EXPECT_THAT(metrics.text(), HasSubstr("\ncove_jobs_running 0\n"));
  EXPECT_THAT(metrics.text(), Not(HasSubstr("\n\n")));
}

TEST(MetricsDeathTest, UndeclaredAndMisusedFamiliesAreBugs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Metrics metrics;
  metrics.declare_counter("c", "");
  EXPECT_DEATH(metrics.add("d", {}), "metric d: not declared");
  EXPECT_DEATH(metrics.observe("c", {}, 1), "metric c: is of another kind");
  EXPECT_DEATH(metrics.declare_gauge("c", ""), "metric c: declared twice");
}

}  // namespace
}  // namespace cove
