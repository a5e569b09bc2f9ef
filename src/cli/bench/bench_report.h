#pragma once
#include <string>
#include <vector>

#include "cli/bench/compiled_report.h"
#include "cli/bench/samples.h"

namespace cove {

// One way to run the same small program, and how long it took.
struct LatencyRow {
  std::string name;
  std::string note;  // how it was run, or why it was not
  Samples samples;
  std::size_t baseline = 0;  // the row that the ratio refers to
};

struct ThroughputResult {
  unsigned cores = 0;
  double bare_per_second = 0;
  double warm_per_second = 0;
  double warm_share = 0;  // of the executions that met a waiting guest
};

struct IdleMemory {
  std::size_t guests = 0;
  double per_guest_mib = 0;  // all of the pool's processes, zygote included, shared among guests
  double alone_mib = 0;      // one waiting guest alone
  std::string note;
};

struct ConcurrencyPoint {
  unsigned callers = 0;
  Samples samples;
  double per_second = 0;
  double warm_share = 0;
};

// A promised figure and what was measured.
struct Verdict {
  std::string promise;
  double measured = 0;
  double bound = 0;
  bool at_least = false;  // else: at most
  bool pass = false;
};

struct BenchReport {
  std::string host;    // kernel, processor, cores
  std::string python;  // interpreter and version
  std::string version;
  std::vector<LatencyRow> rows;
  ThroughputResult throughput;
  IdleMemory memory;
  std::vector<ConcurrencyPoint> concurrency;
  CompiledReport compiled;
  std::vector<Verdict> verdicts;

  bool pass() const;
};

// Which promised figures hold (SPECIFICATION.md). Those of rows that could not be measured fail.
std::vector<Verdict> judge(const BenchReport& report);

// How the rows are found again.
inline constexpr const char* kRowBare = "python3 -c";
inline constexpr const char* kRowDocker = "docker run python3 -c";
inline constexpr const char* kRowContainer = "Cove container";
inline constexpr const char* kRowContainerPooled = "Cove container, pooled";
inline constexpr const char* kRowDockerPersistent = "Cove docker, persistent";
inline constexpr const char* kRowImageCold = "Cove image root cold";
inline constexpr const char* kRowImageWarm = "Cove image root warm";
inline constexpr const char* kRowWarm = "Cove warm";
inline constexpr const char* kRowCommand = "cove run (command)";

const LatencyRow* find_row(const BenchReport& report, const std::string& name);

std::string as_text(const BenchReport& report);
std::string as_markdown(const BenchReport& report, const std::string& plot_file);
std::string as_json_text(const BenchReport& report);
// Two panels: medians side by side (log scale), and latency against concurrent callers.
std::string as_svg(const BenchReport& report);

}  // namespace cove
