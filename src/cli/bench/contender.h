#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/bench/bench_report.h"
#include "cli/bench/bench_runner.h"
#include "executor/code_executor.h"

namespace cove {

// A row and how one sample of it is taken. Samples of all rows are taken in turn, so that a slow
// minute of the machine is everybody's.
struct Contender {
  LatencyRow row;
  std::function<Result<double>()> sample;  // milliseconds
  std::size_t every = 1;                   // dear ones are measured less often
  bool may_fail = false;                   // an engine that dies costs its row, not the benchmark
};

struct SampleSettings {
  std::string language = "python";
  std::string_view code = kBenchProgram;
  bool warm = false;             // what is measured is a hit, or the sample fails
  std::function<void()> refill;  // gives a pool the time for it, unmeasured
};

// One run on an executor, which must outlive the result.
std::function<Result<double>()> executor_sample(CodeExecutor& executor, SampleSettings settings);

// Rows of the container backends: one container a run, waiting ones, and one that stays. Executors
// that they use are put into `keep`.
void add_container_rows(const Installation& installation, const BenchSettings& settings,
                        std::vector<std::unique_ptr<CodeExecutor>>& keep,
                        std::vector<Contender>& contenders);

}  // namespace cove
