#include "engine/live_job.h"

#include <algorithm>

namespace cove {

LiveJob::LiveJob(Submission submission, JobRecord record, std::shared_ptr<JobWatcher> watcher)
    : submission_(std::move(submission)), id_(record.id), record_(std::move(record)) {
  if (watcher) watchers_.push_back(std::move(watcher));
}

JobRecord LiveJob::record() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

bool LiveJob::attach(std::shared_ptr<JobWatcher> watcher) {
  const std::lock_guard lock(mutex_);
  if (over_) return false;
  if (record_.state == JobState::Running) watcher->on_start();
  for (const std::string& notice : notices_) watcher->on_notice(notice);
  if (!diagnostics_.empty()) watcher->on_diagnostics(diagnostics_);
  for (const auto& [stream, bytes] : written_) watcher->on_output(stream, bytes);
  if (watcher->follows()) watchers_.push_back(std::move(watcher));
  return true;
}

void LiveJob::start(WallTime now) {
  const std::lock_guard lock(mutex_);
  record_.state = JobState::Running;
  record_.started = now;
  for (const auto& watcher : watchers_) watcher->on_start();
}

bool LiveJob::on_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  const std::lock_guard lock(mutex_);
  // A second attempt says the same once more.
  if (!diagnostics_.empty() || diagnostics.empty()) return false;
  diagnostics_ = diagnostics;
  for (const auto& watcher : watchers_) watcher->on_diagnostics(diagnostics_);
  return false;
}

void LiveJob::on_notice(std::string_view message) {
  const std::lock_guard lock(mutex_);
  // A second attempt says the same once more.
  if (std::ranges::find(notices_, message) != notices_.end()) return;
  notices_.emplace_back(message);
  for (const auto& watcher : watchers_) watcher->on_notice(message);
}

void LiveJob::write(OutputStream stream, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  // One piece a run of the same stream: many small writes need not become many small strings.
  if (written_.empty() || written_.back().first != stream) written_.emplace_back(stream, "");
  written_.back().second += bytes;
  for (const auto& watcher : watchers_) watcher->on_output(stream, bytes);
}

void LiveJob::end(const JobRecord& record) {
  const std::lock_guard lock(mutex_);
  record_ = record;
  over_ = true;
  for (const auto& watcher : watchers_) watcher->on_end(record_);
  watchers_.clear();
  written_.clear();
}

}  // namespace cove
