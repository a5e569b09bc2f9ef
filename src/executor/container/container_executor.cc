#include "executor/container/container_executor.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "executor/container/container_events.h"
#include "executor/container/container_outcome.h"
#include "executor/container/container_owner.h"
#include "executor/container/container_plan.h"
#include "executor/container/container_pool.h"
#include "executor/container/container_run.h"
#include "executor/container/container_workspace.h"
#include "executor/container/owner_label.h"
#include "executor/file_collector.h"
#include "executor/refuse_compiled.h"
#include "policy/validate.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kCollectBudget = std::chrono::seconds(2);
constexpr auto kPullPatience = std::chrono::minutes(15);

// Follows a container's events for as long as a run needs them.
class Following {
 public:
  Following(ContainerEvents& events, std::string name)
      : events_(events), name_(std::move(name)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    events_.follow(name_, wake_.get());
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  ~Following() { events_.forget(name_); }
  int wake() const { return wake_.get(); }

 private:
  ContainerEvents& events_;
  std::string name_;
  UniqueFd wake_;
};

Result<> check_working_directory(const ContainerWorkspace& workspace, const SandboxPolicy& policy) {
  if (!policy.working_directory) return {};
  const UniqueFd fd(::openat(workspace.work_fd(), policy.working_directory->c_str(),
                             O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return Err(Error::from_errno("opening the working directory " + *policy.working_directory));
  }
  return {};
}

void complete(Clock::time_point begun, const ContainerEnd& end, ExecutionResult& result) {
  using std::chrono::microseconds;
  const auto now = Clock::now();
  const auto started = std::max(end.state.started.value_or(begun), begun);
  result.duration = std::chrono::duration_cast<microseconds>(now - begun);
  result.usage.wall = std::chrono::duration_cast<microseconds>(now - started);
  // One that waited had started long before.
  if (end.state.started && *end.state.started >= begun) {
    result.setup = std::chrono::duration_cast<microseconds>(*end.state.started - begun);
  }
}

void collect(const ContainerWorkspace& workspace, const ExecutionRequest& request,
             ExecutionResult& result) {
  CollectOptions options;
  options.request_files = request.files;
  options.contents = request.collect_file_contents;
  options.deadline = Clock::now() + kCollectBudget;
  collect_files(workspace.work_fd(), options, result);
}

}  // namespace

struct ContainerExecutor::Impl {
  RuntimeCatalog catalog;
  ContainerOptions options;
  ContainerEngine engine;
  BackendCapabilities able;
  std::string owner = owner_label();

  std::mutex mutex;
  std::unique_ptr<ContainerEvents> events;
  std::optional<ContainerWatchdog> watchdog;
  std::set<std::string> present;  // images
  std::jthread sweeper;
  std::unique_ptr<ContainerPool> pool;  // uses the events: it goes before them

  Result<> ensure_running();
  Result<> ensure_image(const std::string& image);
  Result<ExecutionResult> run_ephemeral(ContainerPlan plan, const ExecutionRequest& request,
                                        const ExecutionContext& context);
  Result<ExecutionResult> run_waiting(std::unique_ptr<WaitingContainer> waiting,
                                      const ContainerPlan& plan, const ExecutionRequest& request,
                                      const ExecutionContext& context);
  Error explained(Error error, const std::string& image) const;
  ContainerJob job_for(const ExecutionRequest& request, const ExecutionContext& context) const;
};

// What earlier processes left is put away while the first run is under way.
Result<> ContainerExecutor::Impl::ensure_running() {
  const std::lock_guard lock(mutex);
  if (events) return {};
  COVE_ASSIGN(ContainerWatchdog dog, ContainerWatchdog::start(engine.command, owner));
  watchdog.emplace(std::move(dog));
  events = std::make_unique<ContainerEvents>(engine.command, owner);
  sweeper = std::jthread([command = engine.command] {
    (void)sweep_containers(command);
    sweep_workspaces();
  });
  if (options.pool.size == 0) return {};
  pool = std::make_unique<ContainerPool>(ContainerPool::Settings{options, engine, owner}, *events);
  for (const std::string& language : options.pool.languages) {
    COVE_ASSIGN(const LanguageProfile profile, catalog.profile(language));
    pool->add(profile);
  }
  return {};
}

Result<> ContainerExecutor::Impl::ensure_image(const std::string& image) {
  if (!options.pull) return {};
  const std::lock_guard lock(mutex);
  if (present.contains(image)) return {};
  COVE_ASSIGN(const EngineAnswer there,
              ask_engine(engine.command.path, {"image", "inspect", "--format", "{{.Id}}", image}));
  if (there.exit_code != 0) {
    COVE_ASSIGN(const EngineAnswer pulled,
                ask_engine(engine.command.path, {"pull", "--quiet", image}, kPullPatience));
    if (pulled.exit_code != 0) {
      return Err(Error(ErrorCode::DependencyNotFound,
                       fmt::format("image {} cannot be pulled: {}", image, pulled.reason())));
    }
  }
  present.insert(image);
  return {};
}

ContainerJob ContainerExecutor::Impl::job_for(const ExecutionRequest& request,
                                              const ExecutionContext& context) const {
  ContainerJob job;
  job.engine = &engine.command;
  job.events = events.get();
  job.timeout = request.timeout.value_or(options.timeout.value_or(request.policy.timeout));
  job.start_timeout = options.start_timeout;
  job.cancel = context.cancel;
  return job;
}

// Only a run that failed asks whether its image is there.
Error ContainerExecutor::Impl::explained(Error error, const std::string& image) const {
  if (error.code() != ErrorCode::BackendUnavailable) return error;
  const auto there =
      ask_engine(engine.command.path, {"image", "inspect", "--format", "{{.Id}}", image});
  if (!there || there->exit_code == 0) return error;
  return Error(ErrorCode::DependencyNotFound,
               fmt::format("image {} is not here; get it with: {} pull {} (or allow that with "
                           "--pull)",
                           image, name_of(engine.command.kind), image));
}

Result<ExecutionResult> ContainerExecutor::Impl::run_ephemeral(ContainerPlan plan,
                                                               const ExecutionRequest& request,
                                                               const ExecutionContext& context) {
  const auto begun = Clock::now();
  COVE_ASSIGN(ContainerWorkspace workspace,
              ContainerWorkspace::create(owner, options.user, engine.facts.shifts_ids));
  COVE_TRY(workspace.fill(request, plan.profile, !plan.code_on_stdin));
  if (plan.own_workspace) COVE_TRY(check_working_directory(workspace, request.policy));
  for (ContainerMount& mount : workspace.mounts(plan.own_workspace, !plan.code_on_stdin)) {
    plan.run.mounts.push_back(std::move(mount));
  }
  plan.run.owner = owner;
  const Following following(*events, plan.run.name);
  ProcessSpec spec;
  spec.argv = {engine.command.path};
  for (std::string& word : cove::build_run_args(options, engine.command.kind, plan.run)) {
    spec.argv.push_back(std::move(word));
  }
  spec.env = plan.client_env;
  spec.keep_descendants = false;

  ExecutionResult result;
  OutputCapture out(OutputCapture::Stream::Stdout, plan.run.limits.stdout_bytes, request.truncation,
                    context.sink);
  OutputCapture err(OutputCapture::Stream::Stderr, plan.run.limits.stderr_bytes, request.truncation,
                    context.sink);
  COVE_ASSIGN(ProcessTree client, ProcessTree::start(spec));
  ContainerJob job = job_for(request, context);
  job.container = {plan.run.name,       &client,         &client.stdin_fd(), &client.stdout_fd(),
                   &client.stderr_fd(), following.wake()};
  job.stdin_data = plan.code_on_stdin ? request.code : request.stdin_data;
  job.begun = begun;
  const ContainerEnd end = run_container(job, out, err);
  if (!end.client_exit) {
    (void)remove_container(engine.command.path, plan.run.name);
  }
  if (auto filled = fill_container_outcome(end, engine.command.kind, result); !filled) {
    return Err(explained(std::move(filled).error(), plan.run.image));
  }
  out.finish(result);
  err.finish(result);
  if (options.init && is_missing_program(result)) {
    return Err(Error(ErrorCode::DependencyNotFound,
                     fmt::format("image {} has no program {}: {}", plan.run.image,
                                 plan.run.argv.front(), trim(result.stderr_data))));
  }
  complete(begun, end, result);
  if (plan.own_workspace) collect(workspace, request, result);
  return result;
}

Result<ExecutionResult> ContainerExecutor::Impl::run_waiting(
    std::unique_ptr<WaitingContainer> waiting, const ContainerPlan& plan,
    const ExecutionRequest& request, const ExecutionContext& context) {
  const auto begun = Clock::now();
  COVE_TRY(waiting->give(request, plan));
  ExecutionResult result;
  result.setup = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  OutputCapture out(OutputCapture::Stream::Stdout, plan.run.limits.stdout_bytes, request.truncation,
                    context.sink);
  OutputCapture err(OutputCapture::Stream::Stderr, plan.run.limits.stderr_bytes, request.truncation,
                    context.sink);
  const std::string input = "go\n" + request.stdin_data;
  ContainerJob job = job_for(request, context);
  job.container = {waiting->plan.run.name,
                   waiting->client.get(),
                   &waiting->client->stdin_fd(),
                   &waiting->out,
                   &waiting->err,
                   waiting->wake.get(),
                   true};
  job.stdin_data = input;
  job.begun = begun;
  const ContainerEnd end = run_container(job, out, err);
  auto filled = fill_container_outcome(end, engine.command.kind, result);
  if (filled) {
    out.finish(result);
    err.finish(result);
    complete(begun, end, result);
    result.warm = true;
    collect(waiting->workspace, request, result);
  }
  pool->bury(std::move(waiting));
  if (!filled) return Err(std::move(filled).error());
  return result;
}

ContainerExecutor::ContainerExecutor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ContainerExecutor::~ContainerExecutor() = default;

Result<std::unique_ptr<ContainerExecutor>> ContainerExecutor::create(RuntimeCatalog catalog,
                                                                     ContainerOptions options) {
  COVE_TRY(check_container_options(options));
  auto impl = std::make_unique<Impl>();
  COVE_ASSIGN(impl->engine, find_engine(options.engine));
  impl->catalog = std::move(catalog);
  impl->options = std::move(options);
  impl->able = container_capabilities(impl->engine.facts, impl->options);
  return std::unique_ptr<ContainerExecutor>(new ContainerExecutor(std::move(impl)));
}

BackendCapabilities ContainerExecutor::capabilities() const {
  return impl_->able;
}

bool ContainerExecutor::supports_language(std::string_view language) const {
  const auto profile = impl_->catalog.profile(language);
  return profile && !profile->compile && has_container(*profile, impl_->options);
}

Result<ExecutionResult> ContainerExecutor::execute(const ExecutionRequest& request,
                                                   const ExecutionContext& context) {
  COVE_TRY(validate_request(request, impl_->able));
  COVE_ASSIGN(const LanguageProfile profile, impl_->catalog.profile(request.language));
  COVE_TRY(refuse_compiled(profile, request));
  if (context.live != nullptr || context.terminal) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     "the container backend takes no input while a program runs and has no "
                     "terminal: use the native one"));
  }
  COVE_ASSIGN(ContainerPlan plan, plan_container(profile, impl_->options, request));
  ExecutionResult result;
  if (context.cancel.stop_requested()) {
    result.status = ExecutionStatus::Cancelled;
    result.killed = true;
  } else {
    COVE_TRY(impl_->ensure_running());
    COVE_TRY(impl_->ensure_image(plan.run.image));
    std::unique_ptr<WaitingContainer> waiting;
    if (impl_->pool) waiting = impl_->pool->take(plan, request.policy);
    if (waiting) {
      COVE_ASSIGN(result, impl_->run_waiting(std::move(waiting), plan, request, context));
    } else {
      COVE_ASSIGN(result, impl_->run_ephemeral(std::move(plan), request, context));
    }
  }
  result.backend = "container";
  result.isolation = impl_->able.isolation;
  result.execution_id = request.execution_id.empty() ? random_id("exec_") : request.execution_id;
  return result;
}

Result<> ContainerExecutor::start() {
  return impl_->ensure_running();
}

Result<> ContainerExecutor::stop() {
  const std::lock_guard lock(impl_->mutex);
  impl_->sweeper = {};
  impl_->pool.reset();
  impl_->events.reset();
  impl_->watchdog.reset();
  return {};
}

Result<std::vector<std::string>> ContainerExecutor::build_run_args(
    const ExecutionRequest& request) const {
  COVE_TRY(validate_request(request, impl_->able));
  COVE_ASSIGN(const LanguageProfile profile, impl_->catalog.profile(request.language));
  COVE_TRY(refuse_compiled(profile, request));
  COVE_ASSIGN(ContainerPlan plan, plan_container(profile, impl_->options, request));
  plan.run.owner = impl_->owner;
  if (plan.own_workspace) {
    plan.run.mounts.push_back({"WORKSPACE", std::string(kContainerWorkspace), true});
  }
  if (!plan.code_on_stdin) {
    plan.run.mounts.push_back({"PROGRAM", std::string(kContainerProgram), false});
  }
  return cove::build_run_args(impl_->options, impl_->engine.command.kind, plan.run);
}

Result<> ContainerExecutor::check_policy(const SandboxPolicy& policy) const {
  COVE_TRY(policy_mounts(policy.filesystem));
  return {};
}

const ContainerEngine& ContainerExecutor::engine() const {
  return impl_->engine;
}

std::vector<PoolReport> ContainerExecutor::pool_report() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->pool ? impl_->pool->report() : std::vector<PoolReport>{};
}

bool ContainerExecutor::wait_until_warm(std::chrono::milliseconds patience) {
  return !impl_->pool || impl_->pool->wait_until_full(patience);
}

}  // namespace cove
