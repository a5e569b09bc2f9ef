#include "executor/native/native_executor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/random_id.h"
#include "executor/file_collector.h"
#include "executor/has_no_harness.h"
#include "executor/native/guest_directory.h"
#include "executor/native/guest_files.h"
#include "executor/native/guest_result.h"
#include "executor/native/guest_spec.h"
#include "executor/native/native_host.h"
#include "executor/native/warm_pool.h"
#include "executor/output_capture.h"
#include "executor/refuse_compiled.h"
#include "policy/validate.h"
#include "sandbox/launcher.h"
#include "sandbox/plan_builder.h"
#include "sandbox/supervisor.h"

namespace cove {

using sandbox::Guest;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kCollectionBudget = std::chrono::seconds(2);

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Variables that a runtime reads when it starts: with one of them a waiting interpreter would not
// be what a fresh one is.
bool is_start_up_variable(const std::string& name) {
  return name == "LANG" || name == "TZ" || name.starts_with("LC_") || name.starts_with("PYTHON") ||
         name.starts_with("NODE_") || name.starts_with("RUBY") || name.starts_with("PERL");
}

bool needs_fresh_start(const ExecutionRequest& request) {
  const auto& inherited = request.policy.environment;
  return inherited.kind == EnvironmentPolicy::Kind::Unrestricted ||
         std::ranges::any_of(inherited.names, is_start_up_variable) ||
         std::ranges::any_of(request.env, [](const auto& variable) {
           return is_start_up_variable(variable.first);
         });
}

bool same_fixed_limits(const ResolvedLimits& asked, const ResolvedLimits& shelf, bool groups) {
  // Memory and processor share can still be changed through the group of a waiting guest.
  const bool adjustable = groups || (asked.memory == shelf.memory && !asked.cpu_time);
  return adjustable && asked.disk == shelf.disk && asked.inodes == shelf.inodes &&
         asked.descriptors == shelf.descriptors && asked.processes == shelf.processes;
}

// The working directory as a guest sees it. At the landlock level that is its host directory.
std::string workspace_of(const Guest& guest) {
  if (!guest.group_kill) return "/workspace";
  std::array<char, 4096> path{};
  const std::string link = fmt::format("/proc/self/fd/{}", guest.scratch.get());
  const ssize_t n = ::readlink(link.c_str(), path.data(), path.size() - 1);
  return std::string(path.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))) + "/workspace";
}

// One run from a guest in hand to a result.
struct Run {
  const ExecutionRequest& request;
  const ExecutionContext& context;
  const ResolvedLimits& limits;
  Clock::time_point started;
};

}  // namespace

struct NativeExecutor::Impl {
  RuntimeCatalog catalog;
  NativeOptions options;
  NativeHost host;
  BackendCapabilities able;
  std::unique_ptr<WarmPool> pool;

  bool poolable(const ExecutionRequest& request) const {
    const auto& policy = request.policy;
    return pool != nullptr && host.level == sandbox::Level::Namespaces &&
           policy.network == NetworkPolicy::Disabled &&
           policy.filesystem.kind == FilesystemPolicy::Kind::None && !policy.working_directory &&
           !request.input && !needs_fresh_start(request);
  }

  // Puts a language of the options into the pool.
  Result<> warm(const std::string& language);
  Result<std::unique_ptr<Guest>> launch_cold(const Run& run, const Runtime& runtime,
                                             sandbox::SetupPlan& plan);
  Result<std::unique_ptr<sandbox::Cgroup>> make_group(const ResolvedLimits& limits);
  Result<ExecutionResult> finish(std::unique_ptr<Guest> guest, const Run& run,
                                 const Runtime& runtime, const sandbox::SetupPlan* plan);
  void collect(const Guest& guest, const Run& run, ExecutionResult& result) const;
  Result<ExecutionResult> run_warm(std::unique_ptr<Guest> guest, const Run& run,
                                   const Runtime& runtime);
};

Result<> NativeExecutor::Impl::warm(const std::string& language) {
  // A word that no profile knows is a mistake; what is not installed can come later.
  COVE_ASSIGN(const LanguageProfile profile, catalog.profile(language));
  const auto runtime = catalog.find_interpreted(language);
  if (!runtime && options.pool.must_warm) return Err(runtime.error());
  if (!pool || pool->find(profile.name) != nullptr) return {};
  const Result<> added = runtime ? pool->add(*runtime) : Err(runtime.error());
  if (!added && options.pool.must_warm) return added;
  if (!added) pool->give_up(profile.name, added.error());
  return {};
}

Result<std::unique_ptr<sandbox::Cgroup>> NativeExecutor::Impl::make_group(
    const ResolvedLimits& limits) {
  if (pool) return pool->take_group(limits);
  if (!host.has_cgroups()) return std::unique_ptr<sandbox::Cgroup>();
  COVE_ASSIGN(auto group, host.cgroups.host->create());
  COVE_TRY(group->set_limits(group_limits(limits)));
  return group;
}

Result<std::unique_ptr<Guest>> NativeExecutor::Impl::launch_cold(const Run& run,
                                                                 const Runtime& runtime,
                                                                 sandbox::SetupPlan& plan) {
  const bool landlock = host.level == sandbox::Level::Landlock;
  sandbox::IdPool ids = host.ids;
  COVE_ASSIGN(const auto uid, ids.take());
  std::shared_ptr<GuestDirectory> directory;
  // Whatever fails from here on, the id comes back.
  std::shared_ptr<void> lease(nullptr, [ids, uid](void*) mutable { ids.release(uid); });
  if (landlock) {
    COVE_ASSIGN(directory, GuestDirectory::create(uid, ids.can_change_ids() ? uid : ids.own_gid()));
  }
  const auto paths = GuestPaths::at(host, directory ? directory->path() : "", runtime);
  COVE_ASSIGN(auto spec,
              make_spec(host, runtime, run.request, run.limits, paths, StartMode::AwaitJob));
  spec.terminal = run.context.terminal.has_value();
  if (directory) spec.scratch_dir = directory->path();
  if (spec.uid == ids.own_uid() && ids.can_change_ids()) {
    spec.uid = uid;
    spec.gid = uid;
  } else if (directory) {
    // The owner of a host directory that is written to: see take_owner().
    COVE_TRY(directory->give_to(spec.uid, spec.gid));
  }
  COVE_ASSIGN(plan, sandbox::guest_plan(spec));
  sandbox::LaunchRequest launch;
  launch.plan = &plan;
  launch.terminal = run.context.terminal;
  launch.uid = spec.uid;
  launch.gid = spec.gid;
  if (!landlock) launch.ids = sandbox::IdMap{sandbox::kGuestUid, spec.uid, spec.gid, 1};
  COVE_ASSIGN(launch.group, make_group(run.limits));
  COVE_ASSIGN(auto guest, sandbox::launch(std::move(launch)));
  if (directory) {
    COVE_ASSIGN(guest->scratch, directory->open());
  }
  guest->on_gone = [lease, directory] {};
  return guest;
}

void NativeExecutor::Impl::collect(const Guest& guest, const Run& run,
                                   ExecutionResult& result) const {
  // A host directory as workspace keeps its files by itself.
  const auto kind = run.request.policy.filesystem.kind;
  if (kind == FilesystemPolicy::Kind::WorkspaceReadOnly ||
      kind == FilesystemPolicy::Kind::WorkspaceReadWrite) {
    return;
  }
  // O_PATH: the program may have sealed it, and the collection opens that.
  const UniqueFd workspace(
      ::openat(guest.scratch.get(), "workspace", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!workspace) return;
  CollectOptions collection;
  collection.request_files = run.request.files;
  collection.contents = run.request.collect_file_contents;
  collection.deadline = Clock::now() + kCollectionBudget;
  collect_files(workspace.get(), collection, result);
}

Result<ExecutionResult> NativeExecutor::Impl::finish(std::unique_ptr<Guest> guest, const Run& run,
                                                     const Runtime& runtime,
                                                     const sandbox::SetupPlan* plan) {
  const auto& request = run.request;
  ExecutionResult result;
  OutputCapture out(OutputCapture::Stream::Stdout, run.limits.stdout_bytes, request.truncation,
                    run.context.sink);
  OutputCapture err(OutputCapture::Stream::Stderr, run.limits.stderr_bytes, request.truncation,
                    run.context.sink);
  COVE_TRY(write_guest_files(*guest, request, runtime.profile, workspace_of(*guest)));
  COVE_TRY(guest->start(make_job(request)));
  result.setup = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - run.started);
  sandbox::Watch watch;
  watch.deadline = Clock::now() + request.timeout.value_or(request.policy.timeout);
  if (run.limits.cpu_time && guest->group) watch.cpu_budget = *run.limits.cpu_time;
  watch.cancel = run.context.cancel;
  watch.stdin_data = request.stdin_data;
  watch.live = run.context.live;
  watch.on_stdout = [&out](std::string_view bytes) { out.consume(bytes); };
  watch.on_stderr = [&err](std::string_view bytes) { err.consume(bytes); };
  COVE_ASSIGN(const auto end, sandbox::supervise(*guest, watch));
  const bool is_no_program = plan != nullptr && is_unstartable_build(end, *plan, runtime);
  if (end.failed_step && plan != nullptr && !is_no_program) {
    return Err(sandbox::step_error(*plan, *end.failed_step, end.failed_errno));
  }
  if (end.reason == sandbox::EndReason::Lost && end.oom_kills == 0) {
    return Err(Error(ErrorCode::ExecutionFailed, "the sandbox was ended from outside"));
  }
  if (end.reason != sandbox::EndReason::Exited) guest->wait_until_gone(std::chrono::seconds(2));
  if (is_no_program) err.consume(unstartable_reason(end));
  out.finish(result);
  err.finish(result);
  fill_outcome(end, result);
  if (is_no_program) fill_unstartable(result);
  if (disk_is_full(*guest)) result.limits_hit.push_back(LimitHit::Disk);
  collect(*guest, run, result);
  if (request.input) take_structured_output(result);
  result.backend = able.backend;
  result.isolation = able.isolation;
  result.execution_id = request.execution_id.empty() ? random_id("exec_") : request.execution_id;
  result.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - run.started);
  result.usage.wall = result.duration;
  if (pool) pool->bury(std::move(guest));
  return result;
}

Result<ExecutionResult> NativeExecutor::Impl::run_warm(std::unique_ptr<Guest> guest, const Run& run,
                                                       const Runtime& runtime) {
  const auto usual = resolve_limits({}, {}, runtime.profile.limits);
  const bool changed = run.limits.memory != usual.memory || run.limits.cpus != usual.cpus;
  if (changed && guest->group) COVE_TRY(guest->group->set_limits(group_limits(run.limits)));
  COVE_ASSIGN(auto result, finish(std::move(guest), run, runtime, nullptr));
  result.warm = true;
  return result;
}

NativeExecutor::NativeExecutor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NativeExecutor::~NativeExecutor() = default;

Result<std::unique_ptr<NativeExecutor>> NativeExecutor::create(RuntimeCatalog catalog,
                                                               NativeOptions options) {
  auto impl = std::make_unique<Impl>();
  impl->catalog = std::move(catalog);
  impl->options = std::move(options);
  COVE_ASSIGN(impl->host, NativeHost::probe(impl->options.isolation));
  if (auto& image = impl->options.image) {
    impl->catalog = impl->catalog.with_path({image->command_path, image->path});
    COVE_TRY(impl->host.use_image(std::move(*image)));
    image.reset();
  }
  impl->able = impl->host.capabilities();
  if (impl->options.pool.size > 0 && impl->host.level == sandbox::Level::Namespaces) {
    impl->pool = std::make_unique<WarmPool>(impl->host, impl->options.pool);
  }
  return std::unique_ptr<NativeExecutor>(new NativeExecutor(std::move(impl)));
}

std::string_view NativeExecutor::name() const {
  return impl_->host.image ? "image" : "native";
}

BackendCapabilities NativeExecutor::capabilities() const {
  return impl_->able;
}

bool NativeExecutor::supports_language(std::string_view language) const {
  // A shelf has been through the search, which asks the file system a hundred times.
  if (impl_->pool && impl_->pool->find(lower(std::string(language))) != nullptr) return true;
  return impl_->catalog.find_interpreted(language).has_value();
}

Result<> NativeExecutor::start() {
  if (impl_->options.pool.size > 0 && !impl_->pool && impl_->able.warm) {
    impl_->pool = std::make_unique<WarmPool>(impl_->host, impl_->options.pool);
  }
  for (const auto& language : impl_->options.pool.languages) COVE_TRY(impl_->warm(language));
  return {};
}

Result<> NativeExecutor::stop() {
  impl_->pool.reset();
  return {};
}

Result<ExecutionResult> NativeExecutor::execute(const ExecutionRequest& request,
                                                const ExecutionContext& context) {
  const auto started = Clock::now();
  COVE_TRY(validate_request(request, impl_->able));
  if (!request.entry.empty()) {
    COVE_ASSIGN(const Runtime runtime, impl_->catalog.find_interpreted(request.language));
    COVE_TRY(check_entry(runtime.profile, request));
  }
  const std::string language = lower(request.language);
  const bool poolable = context.runtime == nullptr && impl_->poolable(request);
  const bool warm = poolable && !context.terminal;
  if (const Runtime* shelf = warm ? impl_->pool->find(language) : nullptr; shelf != nullptr) {
    const auto& profile = shelf->profile;
    const auto limits = resolve_limits(request.limits, request.policy.limits, profile.limits);
    const auto usual = resolve_limits({}, {}, profile.limits);
    if (same_fixed_limits(limits, usual, impl_->host.has_cgroups())) {
      const Run run{request, context, limits, started};
      if (auto guest = impl_->pool->take(profile.name)) {
        return impl_->run_warm(std::move(guest), run, *shelf);
      }
    }
  }
  COVE_ASSIGN(const auto runtime, context.runtime != nullptr
                                      ? Result<Runtime>(*context.runtime)
                                      : impl_->catalog.find_interpreted(language));
  if (request.input && runtime.profile.harness_args.empty()) {
    return Err(has_no_harness(runtime.profile.name));
  }
  if (!request.files.empty() &&
      request.policy.filesystem.kind == FilesystemPolicy::Kind::WorkspaceReadOnly) {
    return Err(Error::invalid_field("files", "cannot be put into a read-only workspace"));
  }
  const auto limits = resolve_limits(request.limits, request.policy.limits, runtime.profile.limits);
  sandbox::SetupPlan plan;
  const Run run{request, context, limits, started};
  COVE_ASSIGN(auto guest, impl_->launch_cold(run, runtime, plan));
  auto result = impl_->finish(std::move(guest), run, runtime, &plan);
  if (poolable && runtime.profile.warm != WarmMode::None &&
      impl_->pool->find(runtime.profile.name) == nullptr) {
    impl_->pool->add_later(runtime);
  }
  return result;
}

Result<> NativeExecutor::check_policy(const SandboxPolicy& policy) const {
  return check_filesystem(impl_->host, policy.filesystem);
}

Result<std::string> NativeExecutor::explain(const ExecutionRequest& request, const Runtime* given) {
  COVE_TRY(validate_request(request, impl_->able));
  COVE_ASSIGN(const auto runtime, given != nullptr
                                      ? Result<Runtime>(*given)
                                      : impl_->catalog.find_interpreted(request.language));
  const auto limits = resolve_limits(request.limits, request.policy.limits, runtime.profile.limits);
  const auto paths = GuestPaths::at(impl_->host, "/tmp/cove-SCRATCH", runtime);
  COVE_ASSIGN(auto spec,
              make_spec(impl_->host, runtime, request, limits, paths, StartMode::AwaitJob));
  spec.scratch_dir = "/tmp/cove-SCRATCH";
  COVE_ASSIGN(const auto plan, sandbox::guest_plan(spec));
  return plan.describe();
}

std::vector<PoolReport> NativeExecutor::pool_report() const {
  return impl_->pool ? impl_->pool->report() : std::vector<PoolReport>{};
}

bool NativeExecutor::wait_until_warm(std::chrono::milliseconds patience) {
  return !impl_->pool || impl_->pool->wait_until_full(patience);
}

std::vector<int> NativeExecutor::waiting_processes() const {
  return impl_->pool ? impl_->pool->waiting_processes() : std::vector<int>{};
}

}  // namespace cove
