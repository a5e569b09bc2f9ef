#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/job.h"

namespace cove {

// For tests: notes what it is told, and waits for the end.
class RecordingWatcher final : public JobWatcher {
 public:
  void on_start() override {
    const std::lock_guard lock(mutex_);
    text_ += "<start>";
    changed_.notify_all();
  }
  void on_diagnostics(const std::vector<Diagnostic>& diagnostics) override {
    const std::lock_guard lock(mutex_);
    for (const Diagnostic& each : diagnostics) text_ += "<" + each.message + ">";
    changed_.notify_all();
  }
  void on_notice(std::string_view message) override {
    const std::lock_guard lock(mutex_);
    text_ += "<notice: " + std::string(message) + ">";
    changed_.notify_all();
  }
  void on_output(OutputStream stream, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (stream == OutputStream::Stderr) text_ += "<err>";
    text_ += bytes;
    changed_.notify_all();
  }
  void on_end(const JobRecord& record) override {
    const std::lock_guard lock(mutex_);
    end_ = record;
    changed_.notify_all();
  }

  std::optional<JobRecord> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(30), [this] { return end_.has_value(); });
    return end_;
  }
  bool wait_for_text(const std::string& part) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return text_.find(part) != std::string::npos; });
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::optional<JobRecord> end_;
};

}  // namespace cove
