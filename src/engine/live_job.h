#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/job.h"
#include "executor/code_executor.h"

namespace cove {

// A job that is not over: its request, its watchers, and what it has written so far. Watchers are
// told under the job's lock, so each sees everything once and in order. Thread-safe.
class LiveJob final : public OutputSink {
 public:
  LiveJob(Submission submission, JobRecord record, std::shared_ptr<JobWatcher> watcher);

  const Submission& submission() const { return submission_; }
  const std::string& id() const { return id_; }
  JobRecord record() const;

  // What was written until now, then the rest. False: the job is over, and the watcher was not
  // called.
  bool attach(std::shared_ptr<JobWatcher> watcher);

  void cancel() { stop_.request_stop(); }
  // The engine ends and is about to cancel it; one that was cancelled before stays as it is.
  void shut_down() { shut_down_ = !cancelled(); }
  bool was_shut_down() const { return shut_down_; }
  bool cancelled() const { return stop_.stop_requested(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

  void start(WallTime now);
  void on_stdout(std::string_view bytes) override { write(OutputStream::Stdout, bytes); }
  void on_stderr(std::string_view bytes) override { write(OutputStream::Stderr, bytes); }
  bool on_diagnostics(const std::vector<Diagnostic>& diagnostics) override;
  void on_notice(std::string_view message) override;
  // Tells the watchers and lets go of them, and of the output.
  void end(const JobRecord& record);

  std::chrono::steady_clock::time_point submitted() const { return submitted_; }

 private:
  void write(OutputStream stream, std::string_view bytes);

  const Submission submission_;
  const std::string id_;
  const std::chrono::steady_clock::time_point submitted_ = std::chrono::steady_clock::now();
  std::stop_source stop_;
  std::atomic<bool> shut_down_ = false;

  mutable std::mutex mutex_;
  JobRecord record_;
  std::vector<std::shared_ptr<JobWatcher>> watchers_;
  std::vector<Diagnostic> diagnostics_;
  std::vector<std::string> notices_;
  std::vector<std::pair<OutputStream, std::string>> written_;
  bool over_ = false;
};

}  // namespace cove
