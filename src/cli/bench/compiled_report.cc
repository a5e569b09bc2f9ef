#include "cli/bench/compiled_report.h"

#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/bench/bench_report.h"

namespace cove {

namespace {

constexpr double kColdShare = 1.2;

double bound_of(const CompiledReport& report, const CompiledRow& row) {
  return row.repeat_bare.median() + (kColdShare * report.cold_true.median());
}

}  // namespace

void judge_compiled(const CompiledReport& report, std::vector<Verdict>& verdicts) {
  for (const CompiledRow& row : report.rows) {
    if (row.repeat.empty()) continue;  // no compiler here
    Verdict verdict;
    verdict.promise =
        fmt::format("repeated {} run / (bare binary + 1.2 cold /bin/true)", row.language);
    verdict.measured = row.repeat.median() / bound_of(report, row);
    verdict.bound = 1.0;
    verdict.pass = verdict.measured > 0 && verdict.measured <= verdict.bound;
    verdicts.push_back(std::move(verdict));
  }
}

std::string compiled_text(const CompiledReport& report) {
  std::string text = fmt::format("\n{:<8} {:>16} {:>12} {:>16} {:>12} {:>12}\n", "median ms",
                                 "first, by hand", "first", "again, by hand", "again", "at most");
  for (const CompiledRow& row : report.rows) {
    if (row.repeat.empty()) {
      text += fmt::format("{:<9} not measured: {}\n", row.language, row.note);
      continue;
    }
    text += fmt::format("{:<9} {:>16.1f} {:>12.1f} {:>16.3f} {:>12.3f} {:>12.3f}\n", row.language,
                        row.first_bare.median(), row.first.median(), row.repeat_bare.median(),
                        row.repeat.median(), bound_of(report, row));
  }
  return text + fmt::format("a cold sandboxed /bin/true: {:.3f} ms\n", report.cold_true.median());
}

std::string compiled_markdown(const CompiledReport& report) {
  std::string text =
      "\n## Compiled programs\n\nThe first run compiles; the same again takes the build from the "
      "cache, or the benchmark fails. By hand is the compiler with the same options, and the "
      "binary, without a sandbox. Medians in ms.\n\n"
      "| | first, by hand | first | again, by hand | again | at most |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  for (const CompiledRow& row : report.rows) {
    if (row.repeat.empty()) {
      text += fmt::format("| {} | not measured: {} | | | | |\n", row.language, row.note);
      continue;
    }
    text += fmt::format("| {} ({}) | {:.1f} | {:.1f} | {:.3f} | {:.3f} | {:.3f} |\n", row.language,
                        row.note, row.first_bare.median(), row.first.median(),
                        row.repeat_bare.median(), row.repeat.median(), bound_of(report, row));
  }
  return text + fmt::format(
                    "\nAt most: the binary's time and 1.2 times that of a cold sandboxed "
                    "`/bin/true`, which is {:.3f} ms.\n",
                    report.cold_true.median());
}

json::object compiled_json(const CompiledReport& report) {
  json::array rows;
  for (const CompiledRow& row : report.rows) {
    json::object object{{"language", row.language}, {"note", sanitize_utf8(row.note)}};
    if (!row.repeat.empty()) {
      object["first_bare_ms"] = row.first_bare.median();
      object["first_ms"] = row.first.median();
      object["repeat_bare_ms"] = row.repeat_bare.median();
      object["repeat_ms"] = row.repeat.median();
      object["at_most_ms"] = bound_of(report, row);
    }
    rows.push_back(std::move(object));
  }
  return {{"cold_true_ms", report.cold_true.median()}, {"rows", std::move(rows)}};
}

}  // namespace cove
