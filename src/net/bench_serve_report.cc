#include "net/bench_serve_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/parse_size.h"
#include "net/text_table.h"

namespace cove {

namespace {

constexpr double kMostAdded = 0.5;                     // ms
constexpr std::uint64_t kMostGrowth = 64ULL << 20ULL;  // over all rows, after the first

std::string ratio(const ServeRow& row) {
  if (row.alternative.per_second() <= 0) return "-";
  return fmt::format("{:.0f}x", row.server.per_second() / row.alternative.per_second());
}

std::vector<std::vector<std::string>> table(const ServeReport& report) {
  std::vector<std::vector<std::string>> rows{
      {"Connections", "Requests/s", "Median", "p99", "Answered", "429", "Errors", "Server memory",
       "Bare: requests/s", "Bare: median", "Bare: p99", "Bare: errors", "Ratio"}};
  for (const ServeRow& row : report.rows) {
    const LoadOutcome& bare = row.alternative;
    rows.push_back(
        {std::to_string(row.connections), fmt::format("{:.0f}", row.server.per_second()),
         fmt::format("{:.2f} ms", row.server.answered.median()),
         fmt::format("{:.2f} ms", row.server.answered.p99()),
         std::to_string(row.server.answered.count()), std::to_string(row.server.busy),
         std::to_string(row.server.errors()), format_size({row.memory_after}),
         fmt::format("{:.0f}", bare.per_second()), fmt::format("{:.2f} ms", bare.answered.median()),
         fmt::format("{:.2f} ms", bare.answered.p99()), std::to_string(bare.errors()), ratio(row)});
  }
  return rows;
}

std::vector<std::string> comparison(const ServeReport& report) {
  const auto line = [](std::string_view what, double library, double server, std::size_t count) {
    return fmt::format("{}: library {:.2f} ms, server {:.2f} ms, {:.2f} ms more (medians of {})",
                       what, library, server, server - library, count);
  };
  std::vector<std::string> out;
  out.push_back(line("10 ms after the last one", report.library_at_rest.median(),
                     report.server_at_rest.answered.median(), report.library_at_rest.count()));
  if (report.rows.empty() || report.rows.front().connections != 1) return out;
  out.push_back(
      line("right after the last one, which makes the processors work on the next guest "
           "at the same time",
           report.library.median(), report.rows.front().server.answered.median(),
           report.library.count()));
  return out;
}

}  // namespace

double ServeReport::added_ms() const {
  return server_at_rest.answered.median() - library_at_rest.median();
}

std::vector<ServeVerdict> judge(const ServeReport& report) {
  std::vector<ServeVerdict> out;
  const double added = report.added_ms();
  out.push_back({fmt::format("the server adds at most {} ms (median) at 1 connection", kMostAdded),
                 fmt::format("{:.2f} ms", added), added <= kMostAdded});
  std::size_t errors = report.server_at_rest.errors();
  for (const ServeRow& row : report.rows) errors += row.server.errors();
  out.push_back(
      {"no request is lost or answered wrongly", fmt::format("{} errors", errors), errors == 0});
  if (report.rows.size() > 1 && report.rows.front().memory_after > 0) {
    const std::uint64_t first = report.rows.front().memory_after;
    const std::uint64_t last = report.rows.back().memory_after;
    const std::uint64_t growth = last > first ? last - first : 0;
    out.push_back({fmt::format("memory grows by at most {} from the first row to the last",
                               format_size({kMostGrowth})),
                   format_size({growth}), growth <= kMostGrowth});
  }
  return out;
}

std::string as_text(const ServeReport& report) {
  std::string out = text_table(table(report));
  for (const auto& line : comparison(report)) out += line + "\n";
  for (const ServeVerdict& verdict : judge(report)) {
    out +=
        fmt::format("{}  {}: {}\n", verdict.pass ? "PASS" : "FAIL", verdict.promise, verdict.found);
  }
  return out;
}

std::string as_markdown(const ServeReport& report) {
  std::string out = "# Benchmarks of the server\n\n";
  out +=
      fmt::format("Cove {}, {}. Written by `make bench-serve`.\n\n", report.version, report.host);
  out +=
      "Each connection is kept open and sends `POST /execute` with `print(6 * 7)` as soon as it "
      "has "
      "its answer; after\na 429 it waits 100 ms. Every Cove answer comes from a fresh, fully "
      "isolated interpreter. *Bare* is a plain Python\nHTTP server that starts `python3 -c` for "
      "each "
      "request, without any isolation (scripts/bare-server.py).\n\n";
  bool head = true;
  for (const auto& row : table(report)) {
    out += "|";
    for (const std::string& cell : row) out += " " + cell + " |";
    out += "\n";
    if (head) {
      out += "|";
      for (std::size_t i = 0; i < row.size(); ++i) out += "---|";
      out += "\n";
    }
    head = false;
  }
  out += "\nThe same program through the library, in turns with one connection:\n\n";
  for (const auto& line : comparison(report)) out += "- " + line + "\n";
  out += "\n";
  out += "| | Promise | Found |\n|---|---|---|\n";
  for (const ServeVerdict& verdict : judge(report)) {
    out += fmt::format("| {} | {} | {} |\n", verdict.pass ? "PASS" : "FAIL", verdict.promise,
                       verdict.found);
  }
  return out;
}

}  // namespace cove
