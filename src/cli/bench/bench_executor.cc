#include <utility>

#include <fmt/format.h>

#include "cli/bench/bench_runner.h"

namespace cove {

Result<std::unique_ptr<NativeExecutor>> make_executor(RuntimeCatalog catalog,
                                                      const std::string& language, std::size_t pool,
                                                      std::optional<ImageRoot> image) {
  NativeOptions options;
  options.image = std::move(image);
  options.pool.size = pool;
  if (pool > 0) options.pool.languages = {language};
  COVE_ASSIGN(auto executor, NativeExecutor::create(std::move(catalog), std::move(options)));
  COVE_TRY(executor->start());
  if (pool > 0 && !executor->wait_until_warm(std::chrono::seconds(20))) {
    std::string reason = "no reason was given";
    for (const PoolReport& report : executor->pool_report()) {
      if (!report.last_error.empty()) reason = report.last_error;
    }
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("the warm pool of {} does not fill: {}", language, reason)));
  }
  return executor;
}

}  // namespace cove
