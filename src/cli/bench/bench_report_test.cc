#include "cli/bench/bench_report.h"

#include <string>
#include <vector>

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

LatencyRow row_of(const char* name, double milliseconds) {
  LatencyRow row{name, "", {}, 0};
  row.samples.add(milliseconds);
  return row;
}

std::vector<std::string> failed(const BenchReport& report) {
  std::vector<std::string> out;
  for (const Verdict& verdict : judge(report)) {
    if (!verdict.pass && verdict.promise.find("docker run") != std::string::npos) {
      out.push_back(verdict.promise);
    }
  }
  return out;
}

TEST(BenchReport, ContainersAndImagesAreJudgedAgainstDockerRun) {
  BenchReport report;
  report.rows = {row_of(kRowBare, 15), row_of(kRowDocker, 300), row_of(kRowContainerPooled, 50),
                 row_of(kRowImageCold, 20), row_of(kRowImageWarm, 0.9)};
  EXPECT_TRUE(failed(report).empty());
  report.rows[3] = row_of(kRowImageCold, 30);
  report.rows[4] = {kRowImageWarm, "it could not be started", {}, 0};
  EXPECT_EQ(failed(report),
            (std::vector<std::string>{"image root cold median / docker run median",
                                      "image root warm median / docker run median"}));
  report.rows.resize(3);  // no image was named
  EXPECT_TRUE(failed(report).empty());
  report.rows.resize(1);  // and no engine answered
  EXPECT_TRUE(failed(report).empty());
}

TEST(BenchReport, ARepeatedRunIsJudgedAgainstTheBinaryAndASandbox) {
  CompiledReport report;
  report.cold_true.add(10);
  CompiledRow row{"rust", "rustc 1", {}, {}, {}, {}};
  row.first_bare.add(300);
  row.first.add(330);
  row.repeat_bare.add(1);
  row.repeat.add(12.9);
  report.rows = {row, {"go", "not here", {}, {}, {}, {}}};
  std::vector<Verdict> verdicts;
  judge_compiled(report, verdicts);
  ASSERT_EQ(verdicts.size(), 1U);  // a language that is not here promises nothing
  EXPECT_TRUE(verdicts[0].pass);
  EXPECT_NE(compiled_text(report).find("not measured: not here"), std::string::npos);
  report.rows[0].repeat.add(13.1);
  report.rows[0].repeat.add(13.1);
  verdicts.clear();
  judge_compiled(report, verdicts);
  EXPECT_FALSE(verdicts[0].pass);
}

}  // namespace
}  // namespace cove
