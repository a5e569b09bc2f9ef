// Ten thousand executions of every kind of outcome; then nothing may be left of them: descriptors,
// processes, mounts, control groups, temporary files, memory. COVE_SOAK_COUNT changes the number.
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "attack/footprint.h"
#include "base/data_dir.h"
#include "runtime/runtime_catalog.h"
#include "soak/workload.h"

namespace cove::soak {
namespace {

constexpr std::size_t kWarmUp = 500;
constexpr unsigned kThreads = 4;
constexpr long kAllowedGrowth = 8L << 20;

std::size_t wanted_count() {
  const char* text = std::getenv("COVE_SOAK_COUNT");
  return text != nullptr ? std::strtoul(text, nullptr, 10) : 10'000;
}

long resident_bytes() {
  ::malloc_trim(0);
  std::ifstream in("/proc/self/statm");
  long total = 0;
  long resident = 0;
  in >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::unique_ptr<NativeExecutor> make_executor(std::size_t pool) {
  const auto data = data_dir();
  const auto catalog = data ? RuntimeCatalog::load(*data + "/profiles") : Err(data.error());
  if (!catalog) {
    ADD_FAILURE() << catalog.error().message();
    return nullptr;
  }
  NativeOptions options;
  options.pool.size = pool;
  if (pool > 0) options.pool.languages = {"python"};
  auto executor = NativeExecutor::create(*catalog, options);
  if (!executor) {
    ADD_FAILURE() << executor.error().message();
    return nullptr;
  }
  if (const auto started = (*executor)->start(); !started)
    ADD_FAILURE() << started.error().message();
  return std::move(*executor);
}

// Executions first to last, on executors that are made for them and gone afterwards.
void run_range(std::size_t first, std::size_t last) {
  const auto warm = make_executor(6);
  const auto cold = make_executor(0);
  ASSERT_TRUE(warm && cold);
  const auto started = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next = first;
  std::atomic<std::size_t> wrong = 0;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::size_t index = next++; index < last; index = next++) {
          const auto problem = run_one(index, {*warm, *cold});
          if (problem.empty() || ++wrong > 10) continue;
          const std::lock_guard lock(mutex);
          ADD_FAILURE() << problem;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << last - first << " executions";
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  for (const auto& report : warm->pool_report()) {
    std::cout << last - first << " executions in " << took.count() << " s; " << report.language
              << ": " << report.hits << " warm, " << report.misses << " misses\n";
  }
}

TEST(Soak, NothingIsLeftOfManyExecutions) {
  attack::adopt_orphans();
  run_range(0, kWarmUp);
  const auto before = attack::Footprint::now();
  const long memory_before = resident_bytes();
  run_range(kWarmUp, kWarmUp + wanted_count());
  const auto after = attack::Footprint::now();
  EXPECT_EQ(attack::leftovers(before, after), "");
  const long growth = resident_bytes() - memory_before;
  std::cout << "resident memory grew by " << growth / 1024 << " KiB\n";
  EXPECT_LT(growth, kAllowedGrowth);
}

}  // namespace
}  // namespace cove::soak
