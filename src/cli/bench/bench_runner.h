#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/bench/bench_report.h"
#include "cli/installation.h"
#include "executor/native/native_executor.h"

namespace cove {

struct BenchSettings {
  bool quick = false;
  std::optional<std::size_t> rounds;  // instead of the number that quick chooses
  std::string docker_image;           // empty: the first known image that the engine has
  std::string image;                  // a stored image with python3; empty: none is measured
  std::string command;                // our own executable, for the `cove run` row

  std::size_t samples() const { return rounds.value_or(quick ? 40 : 300); }
  std::chrono::milliseconds slice() const { return std::chrono::milliseconds(quick ? 500 : 1500); }
};

inline constexpr std::string_view kBenchProgram = "print(1)";
inline constexpr std::string_view kNumpyProgram = "import numpy; print(int(numpy.arange(5).sum()))";

// An executor with `pool` waiting guests of `language` (0: cold only), started and filled; in the
// root file system of an image, if one is given.
Result<std::unique_ptr<NativeExecutor>> make_executor(RuntimeCatalog catalog,
                                                      const std::string& language, std::size_t pool,
                                                      std::optional<ImageRoot> image = {});
// The stages. Progress is told through `tell`.
using Tell = std::function<void(std::string_view)>;
Result<std::vector<LatencyRow>> measure_latency(const Installation& installation,
                                                const BenchSettings& settings, const Tell& tell);
Result<ThroughputResult> measure_throughput(const Installation& installation,
                                            const BenchSettings& settings);
Result<std::vector<ConcurrencyPoint>> measure_concurrency(const Installation& installation,
                                                          const BenchSettings& settings);
// First and repeated runs of small compiled programs, beside compiler and binary by hand.
Result<CompiledReport> measure_compiled(const Installation& installation,
                                        const BenchSettings& settings, const Tell& tell);
Result<IdleMemory> measure_idle_memory(const Installation& installation);

}  // namespace cove
