#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/admission.h"
#include "engine/engine.h"
#include "engine/live_job.h"
#include "engine/record_keeper.h"

namespace cove {

// The Engine: a table of live jobs, their admission, and the threads that run them.
class JobEngine final : public Engine {
 public:
  JobEngine(EngineOptions options, std::shared_ptr<CodeExecutor> executor,
            std::shared_ptr<Metrics> metrics, std::unique_ptr<RecordKeeper> keeper);
  ~JobEngine() override;  // cancels what is left

  Result<std::string> submit(Submission submission, std::shared_ptr<JobWatcher> watcher) override;
  Result<> watch(std::string_view id, std::shared_ptr<JobWatcher> watcher) override;
  Result<> cancel(std::string_view id) override;
  Result<std::shared_ptr<void>> take_place(const Caller& caller,
                                           const std::stop_token& cancel) override;
  Result<JobRecord> find(std::string_view id) const override;
  std::vector<JobRecord> list(const JobFilter& filter) const override;
  Result<KeptFile> file(std::string_view id, std::string_view name) const override;
  Result<> audit(std::string_view who, std::string_view what, json::object details) override;
  std::chrono::seconds retry_after() const override;
  std::chrono::seconds retry_after_for(std::string_view caller) const override;
  bool is_ready() const override;
  bool is_idle() const override;
  std::vector<std::string> notes() const override { return keeper_->notes(); }
  bool drain(std::chrono::milliseconds grace, const std::stop_token& hurry) override;

 private:
  using JobPtr = std::shared_ptr<LiveJob>;
  struct Backend {
    std::shared_ptr<CodeExecutor> executor;
    std::unique_ptr<CodeExecutor> retrying;
    std::string name;  // as results have it
  };

  // Null: there is none of that name.
  const Backend* find_backend(std::string_view name) const;
  Result<> admit(const JobPtr& job);
  Result<> queue_locked(const std::string& id, const Caller& caller);
  // Gives what admission lets run to the workers and to those who wait for a place. Returns how
  // many workers to wake, once the lock is let go: one that wakes to a held lock falls asleep
  // again, and that is a good part of what a short job takes.
  [[nodiscard]] std::size_t hand_out_locked();
  void wake_workers(std::size_t count);
  void give_back(const std::string& place, std::chrono::steady_clock::time_point since);
  void remember_length_locked(double seconds);
  Error refuse(Error error, std::string_view reason);
  JobPtr live(std::string_view id) const;
  void work();
  void keep_house(const std::stop_token& stop);
  void run(LiveJob& job);
  // The job is over, one way or the other.
  void finish(LiveJob& job, Result<ExecutionResult> outcome);
  void cancel_all();
  void show_counts_locked();

  const EngineOptions options_;
  const std::shared_ptr<CodeExecutor> executor_;
  std::map<std::string, Backend, std::less<>> backends_;  // "": executor_
  const std::shared_ptr<Metrics> metrics_;
  const std::unique_ptr<RecordKeeper> keeper_;

  mutable std::mutex mutex_;
  std::condition_variable work_waits_;  // for workers
  std::condition_variable_any place_given_;
  std::condition_variable_any withdrawn_waits_;  // for keep_house()
  std::condition_variable_any none_left_;        // of jobs_
  Admission admission_;
  std::map<std::string, JobPtr, std::less<>> jobs_;
  std::deque<JobPtr> runnable_;  // for workers to take
  std::map<std::string, bool, std::less<>>
      places_;                    // that somebody waits for: whether it was given
  std::deque<JobPtr> withdrawn_;  // cancelled before they ran; keep_house() ends them
  double run_seconds_ = 0.1;      // a running mean, for retry_after()
  bool draining_ = false;
  bool stopping_ = false;  // the workers
  std::vector<std::jthread> workers_;
  std::jthread housekeeper_;
};

}  // namespace cove
