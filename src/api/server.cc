#include "api/server.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "api/api_handler.h"
#include "api/call.h"
#include "api/http_server.h"
#include "api/offered_policies.h"
#include "base/strings.h"
#include "base/version.h"
#include "engine/engine_metrics.h"
#include "executor/native/native_executor.h"
#include "toolchain/compiling_executor.h"

namespace cove {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// Between the end of the last execution and the end of answering, for those who poll.
constexpr milliseconds kLastLook{1'000};
// With cells that were told to end.
constexpr milliseconds kCellPatience{1'000};
constexpr std::size_t kShortestKey = 16;

// Each connection and each guest takes descriptors; guests get limits of their own.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

EngineOptions engine_options(const ServerConfig& config, const RuntimeCatalog& catalog) {
  EngineOptions out;
  out.max_jobs = config.max_concurrent_jobs;
  out.max_queue = config.max_queue;
  out.default_timeout = config.default_timeout;
  out.max_timeout = config.max_timeout;
  out.max_compile = config.max_compile;
  out.data_dir = config.data_dir;
  out.history_age = std::chrono::duration_cast<seconds>(config.history_age);
  out.history_bytes = config.history_size;
  out.file_age = std::chrono::duration_cast<seconds>(config.file_age);
  out.file_bytes = config.file_size;
  out.resolve_language = [catalog](std::string_view name) -> Result<std::string> {
    if (const LanguageProfile* const known = catalog.find_profile(name)) return known->name;
    return Err(std::move(catalog.profile(name)).error());
  };
  out.why_unsupported = [catalog](std::string_view name,
                                  const CodeExecutor* backend) -> std::optional<Error> {
    // Programs of an image are not those of this host; of other backends nobody knows here.
    const auto* const compiling = dynamic_cast<const CompilingExecutor*>(backend);
    if (backend != nullptr && compiling == nullptr) return std::nullopt;
    auto runtime = compiling != nullptr ? compiling->find_language(name) : catalog.find(name);
    if (runtime) return std::nullopt;
    return std::move(runtime).error();
  };
  return out;
}

SessionServiceOptions session_options(const ServerConfig& config) {
  SessionServiceOptions out;
  out.max_sessions = config.max_sessions;
  out.idle_timeout = std::chrono::duration_cast<seconds>(config.session_idle_timeout);
  out.max_idle_timeout = std::chrono::duration_cast<seconds>(config.session_max_idle_timeout);
  out.max_cell_timeout = config.max_timeout;
  out.interrupt_grace = config.session_interrupt_grace;
  return out;
}

HttpServerOptions http_options(const ServerConfig& config) {
  HttpServerOptions out;
  out.read.header = config.max_header;
  out.read.body = config.max_body;
  out.bodies_total = config.max_bodies;
  out.max_connections = config.max_connections;
  out.idle_timeout = config.idle_timeout;
  out.header_timeout = config.header_timeout;
  out.body_timeout = config.body_timeout;
  out.write_timeout = config.write_timeout;
  out.stream_buffer = config.stream_buffer;
  out.stream_keep_alive = config.stream_keep_alive;
  out.websocket_message = config.max_message;
  out.io_threads = config.io_threads;
  return out;
}

void audit_key_changes(KeyRing& keys, const std::weak_ptr<Engine>& engine) {
  keys.on_change([engine](const KeyChange& change) {
    const auto target = engine.lock();
    if (!target) return;
    (void)target->audit("server", "keys.change",
                        {{"added", json::value_from(change.added)},
                         {"removed", json::value_from(change.removed)},
                         {"changed", json::value_from(change.changed)}});
  });
}

void collect_sessions(const ApiServices& services) {
  services.metrics->set("cove_session_cells_running", {},
                        static_cast<double>(services.cells.load()));
  if (!services.sessions) return;
  services.metrics->set("cove_sessions_live", {},
                        static_cast<double>(services.sessions->list("").size()));
}

void collect_pool(Metrics& metrics, const std::string& backend, const CodeExecutor& executor) {
  for (const PoolReport& report : executor.pool_report()) {
    const MetricLabels labels{{"backend", backend}, {"language", report.language}};
    metrics.set("cove_pool_hits_total", labels, static_cast<double>(report.hits));
    metrics.set("cove_pool_misses_total", labels, static_cast<double>(report.misses));
    metrics.set("cove_pool_ready", labels, static_cast<double>(report.ready));
  }
}

using Warn = std::function<void(const std::string&)>;

// What cannot be kept warm: an image, say, need not have every language that the host has.
void warn_of_cold(const std::string& where, const CodeExecutor& executor, const Warn& warn) {
  for (const PoolReport& report : executor.pool_report()) {
    if (report.last_error.empty()) continue;
    warn(fmt::format("pool_languages: {} runs cold{}: {}", report.language, where,
                     report.last_error));
  }
}

// All that the operator names but native, started.
Result<> start_backends(ApiServices& services, const RuntimeCatalog& catalog,
                        const BackendMaker& make_backend, const Warn& warn) {
  for (const std::string& name : services.config.backends) {
    if (name == kNativeBackend) continue;
    const auto named = [&name](Error error) {
      return Err(std::move(error).with_context("the backend " + quoted(name) +
                                               " of the setting backends"));
    };
    auto made = make_backend(name, services.config, catalog);
    if (!made) return named(std::move(made).error());
    if (auto started = (*made)->start(); !started) return named(std::move(started).error());
    warn_of_cold(" in the backend " + quoted(name), **made, warn);
    services.backends[name] = std::move(*made);
  }
  return {};
}

void rest_until(Clock::time_point time, const std::stop_token& hurry) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_until(lock, hurry, time, [] { return false; });
}

class RunningServer final : public Server {
 public:
  RunningServer(std::shared_ptr<ApiServices> services, std::shared_ptr<NativeExecutor> executor)
      : services_(std::move(services)), executor_(std::move(executor)) {}
  ~RunningServer() override { stop(milliseconds(0), {}); }

  Result<> listen() {
    const ServerConfig& config = services_->config;
    COVE_ASSIGN(http_,
                HttpServer::create(http_options(config), {config.tls_certificate, config.tls_key},
                                   make_api_handler(services_)));
    for (const std::string& address : config.listen) {
      COVE_TRY(http_->listen(address, config.unix_mode));
    }
    // The collector outlives neither: metrics are asked through the server only.
    services_->metrics->add_collector([this] {
      collect_pool(*services_->metrics, std::string(kNativeBackend), *executor_);
      for (const auto& [name, backend] : services_->backends) {
        collect_pool(*services_->metrics, name, *backend);
      }
      collect_sessions(*services_);
      services_->metrics->set("cove_http_connections", {},
                              static_cast<double>(http_->connections()));
    });
    http_->start();
    return {};
  }

  std::vector<std::string> addresses() const override { return http_->addresses(); }

  bool is_idle() const override { return services_->engine->is_idle() && services_->cells == 0; }

  // New work is refused from here on, but whoever asks is still answered: a balancer sees /readyz
  // say 503, and who polls an execution sees its end.
  bool stop(milliseconds grace, const std::stop_token& hurry) override {
    if (!http_) return true;
    const auto start = Clock::now();
    services_->stopping = true;
    http_->begin_drain();
    const bool worked = !services_->engine->is_idle();
    bool clean = services_->engine->drain(grace, hurry);
    if (!wait_for_cells(start + grace, hurry)) {
      clean = false;
      end_cells();
    }
    if (grace > milliseconds(0)) {
      const auto last_look = Clock::now() + (worked ? kLastLook : milliseconds(0));
      rest_until(std::max(start + services_->config.shutdown_delay, last_look), hurry);
    }
    http_->stop_accepting();
    // At least a moment: what the drain ended still has to be told.
    const auto end = hurry.stop_requested() ? start : start + grace;
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    clean = http_->wait_until_quiet(std::max(left, milliseconds(500))) && clean;
    http_->stop();  // whoever still waits is cut off, and that cancels
    services_->workers->close();
    services_->sessions.reset();
    http_.reset();
    return clean;
  }

 private:
  bool wait_for_cells(Clock::time_point deadline, const std::stop_token& hurry) const {
    while (services_->cells > 0) {
      if (Clock::now() >= deadline || hurry.stop_requested()) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }

  // While the connections are still there: who runs a cell hears how it ended.
  void end_cells() const {
    services_->ending_cells = true;
    const auto sessions = services_->sessions->list("");
    for (const auto& session : sessions) (void)services_->sessions->interrupt(session.id);
    if (wait_for_cells(Clock::now() + kCellPatience, {})) return;
    for (const auto& session : sessions) (void)services_->sessions->remove(session.id);
    (void)wait_for_cells(Clock::now() + kCellPatience, {});
  }

  std::shared_ptr<ApiServices> services_;
  std::shared_ptr<NativeExecutor> executor_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerConfig& config, RuntimeCatalog catalog,
                                              PresetCatalog presets,
                                              const BackendMaker& make_backend) {
  auto services = std::make_shared<ApiServices>();
  services->config = config;
  COVE_ASSIGN(services->keys, KeyRing::open(config.key_file_path(), config.api_key));
  COVE_TRY(check_server_config(config, !services->keys->empty()));
  COVE_ASSIGN(services->log, JsonLog::open(config.log));
  raise_descriptor_limit();

  NativeOptions native;
  native.isolation = config.isolation;
  native.pool = {config.pool_size, config.pool_languages, false};
  COVE_TRY(add_operator_files(config, catalog, presets));
  catalog.lower_limits(config.most());
  COVE_ASSIGN(std::shared_ptr<NativeExecutor> executor,
              NativeExecutor::create(catalog, std::move(native)));
  const auto warn = [log = services->log](const std::string& message) {
    log->write("warning", "start", {{"message", sanitize_utf8(message)}});
  };
  // The contract knows only the empty key as an error, so a short one may be in use somewhere.
  if (!config.api_key.empty() && config.api_key.size() < kShortestKey && !config.is_development()) {
    warn("api_key has fewer than 16 characters and can be guessed");
  }
  COVE_ASSIGN(services->config.policies,
              offered_policies(config, presets, executor->capabilities(), warn));
  COVE_TRY(executor->start());
  warn_of_cold("", *executor, warn);

  COVE_TRY(start_backends(*services, catalog, make_backend, warn));

  services->metrics = std::make_shared<Metrics>();
  declare_http_metrics(*services->metrics);
  EngineOptions engine = engine_options(config, catalog);
  engine.backends = services->backends;
  COVE_ASSIGN(const std::shared_ptr<CodeExecutor> compiling,
              CompilingExecutor::create(executor, catalog));
  COVE_ASSIGN(services->engine, Engine::create(std::move(engine), compiling, services->metrics));
  audit_key_changes(*services->keys, services->engine);
  if (config.isolation == "namespaces" && config.max_sessions > 0) {
    COVE_ASSIGN(services->sessions, SessionService::create(catalog, session_options(config)));
  }
  services->executor = compiling;
  services->catalog = std::move(catalog);
  services->presets = std::move(presets);
  services->workers =
      std::make_shared<WorkerPool>(config.worker_threads, config.worker_threads * 4);
  services->lines = std::make_shared<SessionLines>(*services->workers, config.max_queue);

  auto server = std::make_unique<RunningServer>(services, executor);
  COVE_TRY(server->listen());
  json::array addresses;
  for (const std::string& address : server->addresses()) addresses.emplace_back(address);
  services->log->write("info", "listening",
                       {{"version", kVersion}, {"addresses", addresses}, {"pid", ::getpid()}});
  (void)services->engine->audit("server", "server.start", {{"version", kVersion}});
  return server;
}

}  // namespace cove
