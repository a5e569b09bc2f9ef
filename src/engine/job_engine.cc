#include "engine/job_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "engine/sha256.h"
#include "engine/submission_check.h"
#include "executor/with_retries.h"

namespace cove {
namespace {

using Steady = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kMaxRetryAfter = 60;

double size_of(const ExecutionRequest& request) {
  std::size_t bytes = request.code.size() + request.stdin_data.size();
  for (const auto& file : request.files) bytes += file.content.size();
  return static_cast<double>(bytes);
}

JobRecord new_record(const Submission& submission) {
  JobRecord record;
  record.id = submission.request.execution_id;
  record.caller = submission.caller.name;
  record.language = submission.request.language;
  record.policy = submission.policy_name;
  record.code_hash = sha256_hex(submission.request.code);
  record.created = std::chrono::system_clock::now();
  record.request_id = submission.request_id;
  record.traceparent = submission.traceparent;
  return record;
}

std::chrono::seconds whole_seconds(double seconds) {
  return std::chrono::seconds(std::lround(std::clamp(std::ceil(seconds), 1.0, kMaxRetryAfter)));
}

}  // namespace

JobEngine::JobEngine(EngineOptions options, std::shared_ptr<CodeExecutor> executor,
                     std::shared_ptr<Metrics> metrics, std::unique_ptr<RecordKeeper> keeper)
    : options_(std::move(options)),
      executor_(std::move(executor)),
      metrics_(std::move(metrics)),
      keeper_(std::move(keeper)),
      admission_(options_.max_jobs, options_.max_queue) {
  backends_[""] = {executor_, with_retries(*executor_), executor_->capabilities().backend};
  for (const auto& [name, backend] : options_.backends) {
    backends_[name] = {backend, with_retries(*backend), backend->capabilities().backend};
  }
  for (unsigned i = 0; i < options_.max_jobs; ++i) {
    workers_.emplace_back([this] { work(); });
  }
  housekeeper_ = std::jthread([this](const std::stop_token& stop) { keep_house(stop); });
}

JobEngine::~JobEngine() {
  drain(std::chrono::milliseconds(0), {});
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_waits_.notify_all();
  housekeeper_.request_stop();
  workers_.clear();
  housekeeper_.join();
}

Error JobEngine::refuse(Error error, std::string_view reason) {
  metrics_->add("cove_refusals_total", {{"reason", std::string(reason)}});
  return error;
}

const JobEngine::Backend* JobEngine::find_backend(std::string_view name) const {
  const auto place = backends_.find(name);
  return place == backends_.end() ? nullptr : &place->second;
}

Result<std::string> JobEngine::submit(Submission submission, std::shared_ptr<JobWatcher> watcher) {
  const Backend* const backend = find_backend(submission.backend);
  if (backend == nullptr) {
    return Err(refuse(Error::invalid_field(
                          "backend", "is not known to this engine: " + quoted(submission.backend)),
                      error_code_name(ErrorCode::InvalidRequest)));
  }
  if (auto ok = prepare_submission(submission, options_, *backend->executor); !ok) {
    if (ok.error().code() == ErrorCode::Forbidden) keeper_->forbidden(submission, ok.error());
    return Err(refuse(ok.error(), error_code_name(ok.error().code())));
  }
  submission.request.execution_id = random_id("exec_");
  const double size = size_of(submission.request);
  auto record = new_record(submission);
  const auto job =
      std::make_shared<LiveJob>(std::move(submission), std::move(record), std::move(watcher));
  COVE_TRY(admit(job));
  metrics_->add("cove_request_bytes_total", {}, size);
  return job->id();
}

Result<> JobEngine::queue_locked(const std::string& id, const Caller& caller) {
  if (draining_) {
    return Err(refuse(Error(ErrorCode::BackendUnavailable, "the server is shutting down"),
                      "shutting_down"));
  }
  const auto now = Steady::now();
  const auto refusal = admission_.submit(id, caller, now);
  if (refusal == Admission::Refusal::QueueFull) {
    return Err(refuse(
        Error(ErrorCode::Busy, fmt::format("{} jobs run and {} wait: the queue is full; try later",
                                           admission_.running(), admission_.waiting())),
        "queue_full"));
  }
  if (refusal == Admission::Refusal::Rate) {
    return Err(refuse(Error(ErrorCode::Busy,
                            fmt::format("the key \"{}\" allows {} submissions a second; the next "
                                        "in {:.1f} s",
                                        caller.name, caller.limits.rate,
                                        admission_.rate_wait(caller.name, now).count())),
                      "rate"));
  }
  return {};
}

Result<> JobEngine::admit(const JobPtr& job) {
  std::size_t runnable = 0;
  {
    const std::lock_guard lock(mutex_);
    COVE_TRY(queue_locked(job->id(), job->submission().caller));
    // Before a worker can see it, so that the history's states come in order.
    keeper_->submitted(job->record());
    jobs_[job->id()] = job;
    runnable = hand_out_locked();
  }
  wake_workers(runnable);
  return {};
}

JobEngine::JobPtr JobEngine::live(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto place = jobs_.find(id);
  return place == jobs_.end() ? nullptr : place->second;
}

Result<> JobEngine::watch(std::string_view id, std::shared_ptr<JobWatcher> watcher) {
  if (const auto job = live(id); job && job->attach(watcher)) return {};
  COVE_ASSIGN(const JobRecord record, keeper_->find(id));
  if (record.started) watcher->on_start();
  if (record.result) {
    const ExecutionResult& result = *record.result;
    if (!result.diagnostics.empty()) watcher->on_diagnostics(result.diagnostics);
    if (!result.stdout_data.empty()) watcher->on_output(OutputStream::Stdout, result.stdout_data);
    if (!result.stderr_data.empty()) watcher->on_output(OutputStream::Stderr, result.stderr_data);
  }
  watcher->on_end(record);
  return {};
}

Result<> JobEngine::cancel(std::string_view id) {
  JobPtr job;
  std::size_t runnable = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto place = jobs_.find(id); place != jobs_.end()) {
      job = place->second;
      if (admission_.remove(id)) {
        withdrawn_.push_back(job);
        runnable = hand_out_locked();  // its place may be another's now
        withdrawn_waits_.notify_one();
      }
    }
  }
  wake_workers(runnable);
  if (job) {
    job->cancel();
    return {};
  }
  COVE_TRY(keeper_->find(id));
  return {};
}

Result<JobRecord> JobEngine::find(std::string_view id) const {
  if (const auto job = live(id)) return job->record();
  return keeper_->find(id);
}

std::vector<JobRecord> JobEngine::list(const JobFilter& filter) const {
  return keeper_->list(filter);
}

Result<KeptFile> JobEngine::file(std::string_view id, std::string_view name) const {
  COVE_ASSIGN(const JobRecord record, find(id));
  return keeper_->file(record, name);
}

Result<> JobEngine::audit(std::string_view who, std::string_view what, json::object details) {
  return keeper_->audit(who, what, std::move(details));
}

std::chrono::seconds JobEngine::retry_after() const {
  const std::lock_guard lock(mutex_);
  const auto ahead = static_cast<double>(admission_.waiting() + 1);
  return whole_seconds(run_seconds_ * ahead / options_.max_jobs);
}

std::chrono::seconds JobEngine::retry_after_for(std::string_view caller) const {
  const auto general = retry_after();
  const std::lock_guard lock(mutex_);
  const Seconds own = admission_.rate_wait(caller, Steady::now());
  return std::max(general, whole_seconds(own.count()));
}

bool JobEngine::is_ready() const {
  const std::lock_guard lock(mutex_);
  return !draining_ && executor_->is_running();
}

bool JobEngine::is_idle() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty();
}

bool JobEngine::drain(std::chrono::milliseconds grace, const std::stop_token& hurry) {
  std::unique_lock lock(mutex_);
  draining_ = true;
  place_given_.notify_all();  // who still waits for one waits in vain
  const auto is_empty = [this] { return jobs_.empty(); };
  const bool clean = none_left_.wait_for(lock, hurry, grace, is_empty);
  if (clean) return true;
  lock.unlock();
  cancel_all();
  lock.lock();
  // Cancelling ends a process tree within its own deadline, so this does not last.
  none_left_.wait(lock, is_empty);
  return false;
}

void JobEngine::cancel_all() {
  std::vector<JobPtr> left;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : jobs_) left.push_back(job);
  }
  for (const auto& job : left) {
    job->shut_down();
    static_cast<void>(cancel(job->id()));
  }
}

void JobEngine::show_counts_locked() {
  metrics_->set("cove_jobs_running", {}, static_cast<double>(admission_.running()));
  metrics_->set("cove_jobs_queued", {}, static_cast<double>(admission_.waiting()));
}

}  // namespace cove
