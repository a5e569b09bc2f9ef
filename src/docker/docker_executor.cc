#include "docker/docker_executor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

#include <fmt/format.h>

#include "base/strings.h"
#include "docker/container_language.h"
#include "docker/docker_container.h"
#include "docker/docker_policy.h"
#include "docker/docker_run.h"
#include "docker/engine_api.h"
#include "executor/refuse_compiled.h"
#include "policy/validate.h"

namespace cove {

namespace {

// Users that nobody has. Where the engine maps a container's users there are only 65,536.
struct UserRange {
  std::uint32_t first;
  std::uint32_t count;
};
constexpr UserRange kUsers{0x20000000, 0x40000000};
constexpr UserRange kMappedUsers{20'000, 40'000};

// Which executions are in the container.
class Presence {
 public:
  struct Visit {
    std::uint64_t number = 0;
    bool in_company = false;
  };

  // Waits for one of `most` places; false when cancelled meanwhile.
  bool enter(std::uint32_t most, const std::stop_token& cancel, Visit& visit) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, cancel, [&] { return inside_ < most; })) return false;
    visit.number = ++entered_;
    visit.in_company = inside_++ > 0;
    return true;
  }
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      --inside_;
    }
    changed_.notify_one();
  }
  bool was_alone(const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    return !visit.in_company && entered_ == visit.number;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t entered_ = 0;
  std::uint32_t inside_ = 0;
};

Result<> check_working_directory(const ExecutionRequest& request) {
  const auto& below = request.policy.working_directory;
  const auto kind = request.policy.filesystem.kind;
  if (!below || below->empty() || kind == FilesystemPolicy::Kind::WorkspaceReadOnly ||
      kind == FilesystemPolicy::Kind::WorkspaceReadWrite) {
    return {};
  }
  const bool there = std::ranges::any_of(
      request.files, [&](const ExecFile& file) { return file.name.starts_with(*below + "/"); });
  if (there) return {};
  return Err(
      Error::invalid_field("policy.working_directory", "is no directory of the request's files"));
}

Result<> check_plain_program(const ExecutionRequest& request, const ExecutionContext& context) {
  if (request.input) {
    return Err(Error::invalid_field("input", "the docker backend runs plain programs only"));
  }
  if (!request.files.empty() &&
      (request.policy.filesystem.kind == FilesystemPolicy::Kind::WorkspaceReadOnly ||
       request.policy.filesystem.kind == FilesystemPolicy::Kind::WorkspaceReadWrite)) {
    return Err(Error::invalid_field(
        "files", "cannot be put into a host directory as workspace by the docker backend"));
  }
  if (context.live != nullptr || context.terminal) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     "the docker backend takes no input while a program runs and has no terminal: "
                     "use the native one"));
  }
  return check_working_directory(request);
}

}  // namespace

struct DockerExecutor::Impl {
  Impl(RuntimeCatalog known, DockerOptions chosen, EngineApi engine, const DockerEngineFacts& facts)
      : catalog(std::move(known)),
        options(std::move(chosen)),
        api(std::move(engine)),
        able(docker_capabilities(options, facts)),
        users(facts.remaps_users ? kMappedUsers : kUsers) {
    std::random_device random;
    next_user = random() % users.count;
  }

  RuntimeCatalog catalog;
  DockerOptions options;
  EngineApi api;
  BackendCapabilities able;
  UserRange users;
  std::uint32_t next_user = 0;
  std::mutex changing;       // held by whoever starts or ends the container, which may take minutes
  mutable std::mutex mutex;  // of what follows; taken after `changing`, never held for long
  std::shared_ptr<DockerContainer> container;
  std::string kept_id;  // stopped, not removed
  Presence presence;

  std::shared_ptr<DockerContainer> exchange_container(std::shared_ptr<DockerContainer> next) {
    const std::lock_guard lock(mutex);
    return std::exchange(container, std::move(next));
  }
  std::string exchange_kept_id(std::string next) {
    const std::lock_guard lock(mutex);
    return std::exchange(kept_id, std::move(next));
  }
  bool alive() const {
    const std::lock_guard lock(mutex);
    return container && container->alive();
  }

  Result<> start_one();   // with `changing` held
  Result<> remove_all();  // likewise
  Result<std::shared_ptr<DockerContainer>> running(std::uint32_t& user);
};

Result<> DockerExecutor::Impl::start_one() {
  if (alive()) return {};
  exchange_container(nullptr);  // whatever is left of it goes
  COVE_TRY(sweep_dead_containers(api));
  if (const std::string kept = exchange_kept_id(""); !kept.empty()) {
    COVE_TRY(api.remove_container(kept));
  }
  COVE_ASSIGN(auto started, DockerContainer::start(api, options));
  exchange_container(std::move(started));
  return {};
}

Result<> DockerExecutor::Impl::remove_all() {
  Result<> removed;
  if (const auto one = exchange_container(nullptr)) removed = one->remove();
  if (const std::string kept = exchange_kept_id(""); !kept.empty()) {
    auto also = api.remove_container(kept);
    if (removed) removed = std::move(also);
  }
  return removed;
}

Result<std::shared_ptr<DockerContainer>> DockerExecutor::Impl::running(std::uint32_t& user) {
  if (!alive()) {
    const std::lock_guard starting(changing);
    if (!options.auto_start && !alive()) {
      return Err(Error(ErrorCode::Conflict,
                       "the container is not running, and auto_start is off: call start() first"));
    }
    COVE_TRY(start_one());
  }
  const std::lock_guard lock(mutex);
  if (!container) {
    return Err(Error(ErrorCode::BackendUnavailable, "the container was stopped meanwhile"));
  }
  user = options.user.value_or(users.first + next_user);
  next_user = (next_user + 1) % users.count;
  return container;
}

DockerExecutor::DockerExecutor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DockerExecutor::~DockerExecutor() {
  if (!impl_) return;
  (void)(impl_->options.auto_remove ? cleanup() : stop());
}

Result<std::unique_ptr<DockerExecutor>> DockerExecutor::create(RuntimeCatalog catalog,
                                                               DockerOptions options,
                                                               DockerHost host) {
  COVE_TRY(validate_docker_options(options));
  // Executions as one user cannot be told apart.
  if (options.user) options.max_concurrent = 1;
  COVE_ASSIGN(EngineApi api, EngineApi::connect(host));
  COVE_ASSIGN(const DockerEngineFacts facts, api.facts());
  auto impl = std::make_unique<Impl>(std::move(catalog), std::move(options), std::move(api), facts);
  return std::unique_ptr<DockerExecutor>(new DockerExecutor(std::move(impl)));
}

Result<std::unique_ptr<DockerExecutor>> DockerExecutor::create(RuntimeCatalog catalog,
                                                               DockerOptions options) {
  COVE_ASSIGN(DockerHost host, find_docker_host());
  return create(std::move(catalog), std::move(options), std::move(host));
}

BackendCapabilities DockerExecutor::capabilities() const {
  return impl_->able;
}

bool DockerExecutor::supports_language(std::string_view language) const {
  const LanguageProfile* const profile = impl_->catalog.find_profile(language);
  return profile != nullptr && !profile->compile && container_languages(*profile).has_value();
}

Result<ExecutionResult> DockerExecutor::execute(const ExecutionRequest& request,
                                                const ExecutionContext& context) {
  Impl& impl = *impl_;
  COVE_TRY(validate_request(request, impl.able));
  const LanguageProfile* const profile = impl.catalog.find_profile(request.language);
  if (profile == nullptr) {
    return Err(Error(ErrorCode::UnsupportedLanguage,
                     fmt::format("there is no language {}", quoted(request.language))));
  }
  COVE_TRY(refuse_compiled(*profile, request));
  COVE_TRY(check_plain_program(request, context));
  COVE_TRY(check_container_fits(impl.options, request));

  Presence::Visit visit;
  if (!impl.presence.enter(impl.options.max_concurrent, context.cancel, visit)) {
    ExecutionResult cancelled;
    cancelled.status = ExecutionStatus::Cancelled;
    cancelled.backend = "docker";
    cancelled.isolation = impl.able.isolation;
    cancelled.execution_id = request.execution_id;
    return cancelled;
  }
  const std::shared_ptr<void> leaving(nullptr, [&impl](void*) { impl.presence.leave(); });
  std::uint32_t user = 0;
  COVE_ASSIGN(const auto container, impl.running(user));
  const DockerPlace place{impl.api, *container, impl.options, user,
                          [&] { return impl.presence.was_alone(visit); }};
  COVE_ASSIGN(ExecutionResult result, run_in_container(place, *profile, request, context));
  result.isolation = impl.able.isolation;
  return result;
}

Result<> DockerExecutor::start() {
  const std::lock_guard starting(impl_->changing);
  return impl_->start_one();
}

Result<> DockerExecutor::stop() {
  const std::lock_guard ending(impl_->changing);
  if (impl_->options.auto_remove) return impl_->remove_all();
  const auto container = impl_->exchange_container(nullptr);
  if (!container) return {};
  COVE_ASSIGN(std::string id, container->release());
  impl_->exchange_kept_id(std::move(id));
  return {};
}

bool DockerExecutor::is_running() const {
  return impl_->alive();
}

Result<> DockerExecutor::cleanup() {
  const std::lock_guard ending(impl_->changing);
  return impl_->remove_all();
}

const DockerOptions& DockerExecutor::options() const {
  return impl_->options;
}

std::string DockerExecutor::container_id() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->container ? impl_->container->id() : impl_->kept_id;
}

}  // namespace cove
