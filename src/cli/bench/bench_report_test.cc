#include "cli/bench/bench_report.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(BenchReport, AReasonOfSeveralLinesStaysInItsRow) {
  BenchReport report;
  report.rows.push_back({"docker run python3 -c", "failed: no engine | none\nSee --help\n", {}, 0});
  EXPECT_NE(as_text(report).find("not measured: failed: no engine | none See --help\n"),
            std::string::npos);
  EXPECT_NE(
      as_markdown(report, "")
          .find("| docker run python3 -c | | not measured: failed: no engine \\| none See --help | "
                "| | |\n"),
      std::string::npos);
}

}  // namespace
}  // namespace cove
