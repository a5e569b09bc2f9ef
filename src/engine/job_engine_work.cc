// The threads of the engine: what happens to a job once it was admitted.
#include <new>
#include <utility>

#include "engine/job_engine.h"
#include "model/names.h"

namespace cove {
namespace {

using Steady = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto kHousekeeping = std::chrono::seconds(10);

// Of a job that never ran.
ExecutionResult withdrawn_result(const std::string& backend) {
  ExecutionResult result;
  result.status = ExecutionStatus::Cancelled;
  result.backend = backend;
  return result;
}

// One job that takes all memory, with what it left for us to read say, must not end the others.
Result<ExecutionResult> execute_within_memory(CodeExecutor& executor,
                                              const ExecutionRequest& request,
                                              const ExecutionContext& context) {
  try {
    return executor.execute(request, context);
  } catch (const std::bad_alloc&) {
    return Err(Error(ErrorCode::Internal, "the server has not enough memory for this execution"));
  }
}

}  // namespace

void JobEngine::work() {
  for (;;) {
    JobPtr job;
    {
      std::unique_lock lock(mutex_);
      work_waits_.wait(lock, [this] { return stopping_ || !runnable_.empty(); });
      if (runnable_.empty()) return;  // told to stop, and nothing is left
      job = std::move(runnable_.front());
      runnable_.pop_front();
    }
    run(*job);
  }
}

void JobEngine::run(LiveJob& job) {
  if (job.cancelled()) {
    finish(job, withdrawn_result(find_backend(job.submission().backend)->name));
    return;
  }
  const auto started = Steady::now();
  const Submission& submission = job.submission();
  const MetricLabels language = {{"language", submission.request.language}};
  metrics_->observe("cove_queue_seconds", language, Seconds(started - job.submitted()).count());
  job.start(std::chrono::system_clock::now());
  keeper_->started(job.record());
  ExecutionContext context;
  context.cancel = job.stop_token();
  context.sink = &job;
  context.live = submission.live.get();
  context.terminal = submission.terminal;
  auto outcome = execute_within_memory(*find_backend(submission.backend)->retrying,
                                       submission.request, context);
  const double seconds = Seconds(Steady::now() - started).count();
  metrics_->observe("cove_run_seconds", language, seconds);
  if (outcome && outcome->setup) {
    metrics_->observe("cove_sandbox_setup_seconds",
                      {{"language", submission.request.language},
                       {"backend", outcome->backend},
                       {"start", outcome->warm ? "warm" : "cold"}},
                      Seconds(*outcome->setup).count());
  }
  {
    const std::lock_guard lock(mutex_);
    remember_length_locked(seconds);
  }
  finish(job, std::move(outcome));
}

void JobEngine::finish(LiveJob& job, Result<ExecutionResult> outcome) {
  const std::string backend =
      outcome ? outcome->backend : find_backend(job.submission().backend)->name;
  const std::string status(outcome ? name_of(outcome->status) : "error");
  if (outcome) {
    metrics_->add("cove_output_bytes_total", {},
                  static_cast<double>(outcome->stdout_data.size() + outcome->stderr_data.size()));
    const std::vector<std::string>& notes = job.submission().notes;
    outcome->notes.insert(outcome->notes.end(), notes.begin(), notes.end());
    if (job.was_shut_down() && outcome->status == ExecutionStatus::Cancelled) {
      outcome->notes.emplace_back(kServerStopping);
    }
  }
  const JobRecord record = keeper_->ended(job.record(), std::move(outcome));
  metrics_->add("cove_executions_total",
                {{"language", record.language}, {"backend", backend}, {"status", status}});
  std::size_t runnable = 0;
  {
    // Its place is free before anybody hears of the end: who then submits the next one finds it.
    const std::lock_guard lock(mutex_);
    admission_.finish(job.id());
    runnable = hand_out_locked();
  }
  wake_workers(runnable);
  job.end(record);
  const std::lock_guard lock(mutex_);
  jobs_.erase(job.id());
  if (jobs_.empty()) none_left_.notify_all();
}

void JobEngine::keep_house(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::deque<JobPtr> over;
    {
      std::unique_lock lock(mutex_);
      withdrawn_waits_.wait_for(lock, stop, kHousekeeping, [this] { return !withdrawn_.empty(); });
      over.swap(withdrawn_);
    }
    for (const auto& job : over) {
      finish(*job, withdrawn_result(find_backend(job->submission().backend)->name));
    }
    keeper_->expire_files();
  }
}

}  // namespace cove
