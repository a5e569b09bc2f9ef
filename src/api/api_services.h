#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "api/json_log.h"
#include "api/server_config.h"
#include "api/session_lines.h"
#include "api/worker_pool.h"
#include "engine/engine.h"
#include "engine/key_ring.h"
#include "engine/metrics.h"
#include "executor/code_executor.h"
#include "policy/presets.h"
#include "runtime/runtime_catalog.h"
#include "session/session_service.h"

namespace cove {

// What the routes work with. Made once, shared by all of them.
struct ApiServices {
  ServerConfig config;
  std::shared_ptr<Engine> engine;
  std::shared_ptr<SessionService> sessions;  // null: this server has none
  std::shared_ptr<KeyRing> keys;
  std::shared_ptr<Metrics> metrics;
  std::shared_ptr<CodeExecutor> executor;  // native
  // The others that are offered, by name.
  std::map<std::string, std::shared_ptr<CodeExecutor>, std::less<>> backends;
  RuntimeCatalog catalog;
  PresetCatalog presets;
  std::shared_ptr<JsonLog> log;
  std::shared_ptr<SessionLines> lines;  // of calls that wait for their session
  std::shared_ptr<WorkerPool> workers;
  std::atomic<bool> stopping{false};      // no new work; the rest is still answered
  std::atomic<bool> ending_cells{false};  // their time is up: they are interrupted
  std::atomic<int> cells{0};              // of sessions, that run or wait for their turn
};

}  // namespace cove
