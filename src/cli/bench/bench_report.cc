#include "cli/bench/bench_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/strings.h"

namespace cove {

namespace {

double ratio_of(const BenchReport& report, const LatencyRow& row) {
  const double base = report.rows.at(row.baseline).samples.median();
  return base > 0 ? row.samples.median() / base : 0;
}

double per_second(const LatencyRow& row) {
  const double mean = row.samples.mean();
  return mean > 0 ? 1000.0 / mean : 0;
}

std::string ratio_text(double ratio) {
  if (ratio <= 0) return "-";
  return ratio < 0.95 ? fmt::format("1/{:.1f}", 1 / ratio) : fmt::format("{:.2f}", ratio);
}

// What another program said may have several lines; a row of a table has one.
std::string one_line(std::string_view note) {
  std::string line(trim(note));
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::string table_cell(std::string_view note) {
  std::string cell;
  for (const char c : one_line(note)) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

Verdict at_most(std::string_view promise, double measured, double bound) {
  Verdict verdict;
  verdict.promise = promise;
  verdict.measured = measured;
  verdict.bound = bound;
  verdict.pass = measured > 0 && measured <= bound;
  return verdict;
}

// Against plain `docker run`: only where an engine was there to compare with. A row of ours that is
// then missing fails.
void judge_containers(const BenchReport& report, std::vector<Verdict>& verdicts) {
  const LatencyRow* const docker = find_row(report, kRowDocker);
  if (docker == nullptr) return;
  const auto against_docker = [&](std::string_view promise, const char* name, double bound) {
    const LatencyRow* const row = find_row(report, name);
    const double median = row != nullptr ? row->samples.median() : 0;
    verdicts.push_back(at_most(promise, median / docker->samples.median(), bound));
  };
  against_docker("pooled container median / docker run median", kRowContainerPooled, 1.0 / 5);
  const bool asked = std::ranges::find(report.rows, std::string(kRowImageCold),
                                       &LatencyRow::name) != report.rows.end();
  if (!asked) return;  // no image was named
  against_docker("image root cold median / docker run median", kRowImageCold, 1.0 / 12);
  against_docker("image root warm median / docker run median", kRowImageWarm, 1.0 / 300);
}

void judge_images(const BenchReport& report, std::vector<Verdict>& verdicts) {
  const LatencyRow* const native = find_row(report, kRowWarm);
  const LatencyRow* const image = find_row(report, kRowImageWarm);
  if (native == nullptr || image == nullptr) return;
  verdicts.push_back(at_most("image root warm median / warm median",
                             image->samples.median() / native->samples.median(), 1.5));
}

}  // namespace

bool BenchReport::pass() const {
  return std::ranges::all_of(verdicts, &Verdict::pass);
}

const LatencyRow* find_row(const BenchReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.rows, name, &LatencyRow::name);
  return found == report.rows.end() || found->samples.empty() ? nullptr : &*found;
}

std::vector<Verdict> judge(const BenchReport& report) {
  const LatencyRow* const bare = find_row(report, kRowBare);
  const LatencyRow* const warm = find_row(report, kRowWarm);
  const LatencyRow* const command = find_row(report, kRowCommand);
  const double base = bare != nullptr ? bare->samples.median() : 0;
  const auto share = [&](const LatencyRow* row, double value) {
    return row != nullptr && base > 0 ? value / base : 0;
  };
  std::vector<Verdict> verdicts;
  verdicts.push_back(at_most("warm median / bare median",
                             share(warm, warm != nullptr ? warm->samples.median() : 0), 1.0 / 15));
  verdicts.push_back(at_most("warm p99 / bare median",
                             share(warm, warm != nullptr ? warm->samples.p99() : 0), 0.25));
  verdicts.push_back(at_most("cold `cove run` median / bare median",
                             share(command, command != nullptr ? command->samples.median() : 0),
                             1.5));
  const ThroughputResult& t = report.throughput;
  const double gain = t.bare_per_second > 0 ? t.warm_per_second / t.bare_per_second : 0;
  verdicts.push_back({"sustained throughput / bare loop", gain, 4.0, true, gain >= 4.0});
  judge_containers(report, verdicts);
  judge_images(report, verdicts);
  judge_compiled(report.compiled, verdicts);
  verdicts.push_back(at_most("idle warm guest, MiB PSS", report.memory.per_guest_mib, 4.0));
  return verdicts;
}

std::string as_text(const BenchReport& report) {
  std::string text = fmt::format("{}\n{}\ncove {}\n\n", report.host, report.python, report.version);
  text += fmt::format("{:<34} {:>6} {:>11} {:>11} {:>9} {:>8}\n", "", "n", "median ms", "p99 ms",
                      "runs/s", "ratio");
  for (const LatencyRow& row : report.rows) {
    if (row.samples.empty()) {
      text += fmt::format("{:<34} not measured: {}\n", row.name, one_line(row.note));
      continue;
    }
    text += fmt::format("{:<34} {:>6} {:>11.3f} {:>11.3f} {:>9.1f} {:>8}\n", row.name,
                        row.samples.count(), row.samples.median(), row.samples.p99(),
                        per_second(row), ratio_text(ratio_of(report, row)));
  }
  const ThroughputResult& t = report.throughput;
  text += fmt::format(
      "\nsustained on {} cores: {:.0f} fresh isolated guests/s ({:.0f} % warm), bare python3 -c "
      "{:.0f}/s\n",
      t.cores, t.warm_per_second, t.warm_share * 100, t.bare_per_second);
  text += fmt::format(
      "idle memory: {:.2f} MiB PSS a warm guest, zygote's share included ({} guests; one alone "
      "{:.2f}){}\n",
      report.memory.per_guest_mib, report.memory.guests, report.memory.alone_mib,
      report.memory.note.empty() ? "" : "; " + report.memory.note);
  text += fmt::format("\n{:>8} {:>11} {:>11} {:>9} {:>7}\n", "callers", "median ms", "p99 ms",
                      "runs/s", "warm");
  for (const ConcurrencyPoint& point : report.concurrency) {
    text += fmt::format("{:>8} {:>11.3f} {:>11.3f} {:>9.0f} {:>6.0f}%\n", point.callers,
                        point.samples.median(), point.samples.p99(), point.per_second,
                        point.warm_share * 100);
  }
  text += compiled_text(report.compiled) + "\n";
  for (const Verdict& verdict : report.verdicts) {
    text +=
        fmt::format("{}  {}: {:.3f} ({} {:.3f})\n", verdict.pass ? "PASS" : "FAIL", verdict.promise,
                    verdict.measured, verdict.at_least ? "at least" : "at most", verdict.bound);
  }
  return text;
}

std::string as_markdown(const BenchReport& report, const std::string& plot_file) {
  std::string text =
      "# Benchmarks\n\nWritten by `cove bench` (`make bench`): everything below was measured in "
      "one run, row by row in turn, on one machine.\n\n";
  text += fmt::format("- Machine: {}\n- Python: {}\n- Cove {}\n\n", report.host, report.python,
                      report.version);
  if (!plot_file.empty()) text += fmt::format("![Latency and concurrency]({})\n\n", plot_file);
  text +=
      "## One run of `print(1)`\n\n| | n | median ms | p99 ms | runs/s | ratio |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  for (const LatencyRow& row : report.rows) {
    if (row.samples.empty()) {
      text += fmt::format("| {} | | not measured: {} | | | |\n", row.name, table_cell(row.note));
    } else {
      text += fmt::format("| {} | {} | {:.3f} | {:.3f} | {:.1f} | {} |\n", row.name,
                          row.samples.count(), row.samples.median(), row.samples.p99(),
                          per_second(row), ratio_text(ratio_of(report, row)));
    }
  }
  text +=
      "\nThe ratio is to `python3 -c` (for the numpy rows: to `python3 -c \"import numpy\"`). A "
      "warm "
      "sample starts when the pool is full: it is the latency that a caller sees, not the "
      "sustained rate, which follows.\n\n";
  for (const LatencyRow& row : report.rows) {
    if (!row.note.empty() && !row.samples.empty())
      text += fmt::format("- {}: {}\n", row.name, row.note);
  }
  const ThroughputResult& t = report.throughput;
  text += fmt::format(
      "\n## Sustained, on {} cores\n\n| | runs/s |\n|---|---:|\n| bare `python3 -c`, a loop a core "
      "| {:.0f} |\n"
      "| Cove, a fresh isolated guest each | {:.0f} |\n\n{:.0f} % of these met a waiting guest; "
      "the rest were "
      "served cold.\n",
      t.cores, t.bare_per_second, t.warm_per_second, t.warm_share * 100);
  text += fmt::format(
      "\n## Idle memory\n\n{:.2f} MiB PSS a warm guest (pool of {}, the zygote's memory divided "
      "among "
      "them); one waiting guest alone: {:.2f} MiB.\n",
      report.memory.per_guest_mib, report.memory.guests, report.memory.alone_mib);
  text +=
      "\n## Concurrent callers\n\n| callers | median ms | p99 ms | runs/s | warm "
      "|\n|---:|---:|---:|---:|---:|\n";
  for (const ConcurrencyPoint& p : report.concurrency) {
    text += fmt::format("| {} | {:.3f} | {:.3f} | {:.0f} | {:.0f} % |\n", p.callers,
                        p.samples.median(), p.samples.p99(), p.per_second, p.warm_share * 100);
  }
  text += compiled_markdown(report.compiled);
  text += "\n## Promised figures\n\n| | measured | bound | |\n|---|---:|---:|---|\n";
  for (const Verdict& v : report.verdicts) {
    text += fmt::format("| {} | {:.3f} | {} {:.3f} | {} |\n", v.promise, v.measured,
                        v.at_least ? "≥" : "≤", v.bound, v.pass ? "pass" : "**fail**");
  }
  return text;
}

std::string as_json_text(const BenchReport& report) {
  json::array rows;
  for (const LatencyRow& row : report.rows) {
    json::object object{
        {"name", row.name}, {"note", sanitize_utf8(row.note)}, {"samples", row.samples.count()}};
    if (!row.samples.empty()) {
      object["median_ms"] = row.samples.median();
      object["p99_ms"] = row.samples.p99();
      object["mean_ms"] = row.samples.mean();
      object["per_second"] = per_second(row);
      object["ratio"] = ratio_of(report, row);
    }
    rows.push_back(std::move(object));
  }
  json::array callers;
  for (const ConcurrencyPoint& p : report.concurrency) {
    callers.push_back(json::object{{"callers", p.callers},
                                   {"median_ms", p.samples.median()},
                                   {"p99_ms", p.samples.p99()},
                                   {"per_second", p.per_second},
                                   {"warm_share", p.warm_share}});
  }
  json::array verdicts;
  for (const Verdict& v : report.verdicts) {
    verdicts.push_back(json::object{{"promise", v.promise},
                                    {"measured", v.measured},
                                    {"bound", v.bound},
                                    {"direction", v.at_least ? "at_least" : "at_most"},
                                    {"pass", v.pass}});
  }
  const json::object object{
      {"host", report.host},
      {"python", report.python},
      {"version", report.version},
      {"rows", std::move(rows)},
      {"throughput", json::object{{"cores", report.throughput.cores},
                                  {"bare_per_second", report.throughput.bare_per_second},
                                  {"warm_per_second", report.throughput.warm_per_second},
                                  {"warm_share", report.throughput.warm_share}}},
      {"idle_memory", json::object{{"guests", report.memory.guests},
                                   {"per_guest_mib", report.memory.per_guest_mib},
                                   {"alone_mib", report.memory.alone_mib}}},
      {"concurrency", std::move(callers)},
      {"compiled", compiled_json(report.compiled)},
      {"verdicts", std::move(verdicts)},
      {"pass", report.pass()}};
  return json::serialize(object) + "\n";
}

}  // namespace cove
