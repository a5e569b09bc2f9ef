#include "engine/engine.h"

#include "engine/engine_metrics.h"
#include "engine/job_engine.h"

namespace cove {

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options,
                                               std::shared_ptr<CodeExecutor> executor,
                                               std::shared_ptr<Metrics> metrics) {
  if (options.max_jobs == 0) {
    return Err(Error::invalid_field("max_jobs", "must be at least 1"));
  }
  if (options.default_timeout.count() <= 0 || options.max_timeout.count() <= 0 ||
      options.max_compile.count() <= 0) {
    return Err(Error::invalid_field("timeout", "the default and the maximum must be positive"));
  }
  declare_engine_metrics(*metrics);
  COVE_ASSIGN(auto keeper, RecordKeeper::open(options, metrics));
  return std::make_unique<JobEngine>(std::move(options), std::move(executor), std::move(metrics),
                                     std::move(keeper));
}

}  // namespace cove
