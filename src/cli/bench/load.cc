// Many callers at once: sustained throughput, and how latency grows.
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "cli/bench/bare_process.h"
#include "cli/bench/bench_runner.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  Samples samples;
  std::size_t warm = 0;
  double seconds = 0;
};

// One execution: its milliseconds, and whether a waiting guest served it.
using Call = std::function<Result<std::pair<double, bool>>()>;

// `callers` threads that call one after another until the time is over.
Result<Load> apply_load(unsigned callers, std::chrono::milliseconds duration, const Call& call) {
  Load load;
  std::mutex mutex;
  std::optional<Error> failure;
  const auto started = Clock::now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(callers);
    for (unsigned i = 0; i < callers; ++i) {
      threads.emplace_back([&] {
        Samples mine;
        std::size_t warm = 0;
        while (Clock::now() - started < duration) {
          auto done = call();
          if (!done) {
            const std::scoped_lock lock(mutex);
            failure = std::move(done).error();
            return;
          }
          mine.add(done->first);
          if (done->second) ++warm;
        }
        const std::scoped_lock lock(mutex);
        load.samples.add_all(mine);
        load.warm += warm;
      });
    }
  }
  if (failure) return Err(std::move(*failure));
  load.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return load;
}

Call cove_call(NativeExecutor& executor) {
  return [&executor]() -> Result<std::pair<double, bool>> {
    ExecutionRequest request;
    request.code = std::string(kBenchProgram);
    const auto started = Clock::now();
    COVE_ASSIGN(const ExecutionResult result, executor.execute(request));
    const std::chrono::duration<double, std::milli> took = Clock::now() - started;
    if (!result.is_success()) {
      return Err(Error(ErrorCode::ExecutionFailed, "a program failed: " + result.stderr_data));
    }
    return std::pair{took.count(), result.warm};
  };
}

Call bare_call(const std::string& python) {
  return [&python]() -> Result<std::pair<double, bool>> {
    COVE_ASSIGN(const BareRun run, run_bare({python, "-c", std::string(kBenchProgram)}));
    if (run.exit_code != 0) return Err(Error(ErrorCode::ExecutionFailed, run.output));
    return std::pair{run.milliseconds, false};
  };
}

std::size_t pool_for_load(unsigned cores) {
  return std::size_t{8} * cores;
}

}  // namespace

Result<ThroughputResult> measure_throughput(const Installation& installation,
                                            const BenchSettings& settings) {
  ThroughputResult result;
  result.cores = std::max(1U, std::thread::hardware_concurrency());
  COVE_ASSIGN(const Runtime python, installation.catalog.find("python"));
  COVE_ASSIGN(const auto executor,
              make_executor(installation.catalog, "python", pool_for_load(result.cores)));
  const Call warm = cove_call(*executor);
  const Call bare = bare_call(python.interpreter);

  // A first slice empties the pool, so that what follows is the rate at which guests are made.
  COVE_TRY(apply_load(result.cores, settings.slice(), warm));
  Load warm_total;
  Load bare_total;
  for (int turn = 0; turn < 3; ++turn) {
    COVE_ASSIGN(const Load w, apply_load(result.cores, settings.slice(), warm));
    warm_total.samples.add_all(w.samples);
    warm_total.warm += w.warm;
    warm_total.seconds += w.seconds;
    (void)executor->wait_until_warm(std::chrono::seconds(3));
    COVE_ASSIGN(const Load b, apply_load(result.cores, settings.slice(), bare));
    bare_total.samples.add_all(b.samples);
    bare_total.seconds += b.seconds;
  }
  const auto runs = static_cast<double>(warm_total.samples.count());
  result.warm_per_second = runs / warm_total.seconds;
  result.warm_share = runs > 0 ? static_cast<double>(warm_total.warm) / runs : 0;
  result.bare_per_second = static_cast<double>(bare_total.samples.count()) / bare_total.seconds;
  return result;
}

Result<std::vector<ConcurrencyPoint>> measure_concurrency(const Installation& installation,
                                                          const BenchSettings& settings) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  COVE_ASSIGN(const auto executor,
              make_executor(installation.catalog, "python", pool_for_load(cores)));
  const Call call = cove_call(*executor);
  std::vector<ConcurrencyPoint> points;
  for (const unsigned callers : {1U, 2U, 4U, 16U, 64U}) {
    (void)executor->wait_until_warm(std::chrono::seconds(5));
    COVE_ASSIGN(Load load, apply_load(callers, settings.slice(), call));
    ConcurrencyPoint point;
    point.callers = callers;
    const auto runs = static_cast<double>(load.samples.count());
    point.per_second = runs / load.seconds;
    point.warm_share = runs > 0 ? static_cast<double>(load.warm) / runs : 0;
    point.samples = std::move(load.samples);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace cove
