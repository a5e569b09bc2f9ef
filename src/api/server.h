#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "api/api_services.h"
#include "api/server_config.h"
#include "base/result.h"
#include "executor/code_executor.h"
#include "policy/presets.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// Makes a backend other than native, by its name in the setting `backends`.
using BackendMaker = std::function<Result<std::shared_ptr<CodeExecutor>>(
    const std::string& name, const ServerConfig& config, const RuntimeCatalog& catalog)>;

// The whole server: sandbox, engine, sessions, keys, HTTP; what `cove serve` runs.
class Server {
 public:
  // Refuses, with the reason, what would be unsafe: see check_server_config(); and policies that
  // this host cannot enforce, and backends that cannot be started. Listens when it returns.
  static Result<std::unique_ptr<Server>> start(const ServerConfig& config, RuntimeCatalog catalog,
                                               PresetCatalog presets,
                                               const BackendMaker& make_backend);
  virtual ~Server() = default;

  virtual std::vector<std::string> addresses() const = 0;
  virtual bool is_idle() const = 0;  // no execution and no cell runs or waits
  // No new work, time for what runs (until `hurry` at most), then the rest is cancelled. Whoever
  // asks meanwhile is answered. False: some were cancelled.
  virtual bool stop(std::chrono::milliseconds grace, const std::stop_token& hurry = {}) = 0;
};

}  // namespace cove
