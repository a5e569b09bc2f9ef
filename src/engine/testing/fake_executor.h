#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "executor/code_executor.h"

namespace cove {

// For tests of timing: runs nothing. "echo TEXT" prints, "wait" lasts until release() or its
// cancelling, "break" fails, "warn" compiles with a
// warning; everything else succeeds at once. Supports "sh" and "python".
class FakeExecutor final : public CodeExecutor {
 public:
  using CodeExecutor::execute;
  std::string_view name() const override { return "fake"; }
  BackendCapabilities capabilities() const override {
    BackendCapabilities able;
    able.backend = "fake";
    able.isolation = "none";
    able.network = able.filesystem = able.environment = able.timeout = true;
    able.memory = able.processes = able.cpu = able.disk = LimitReach::Tree;
    able.descriptors = able.output_caps = true;
    return able;
  }
  bool supports_language(std::string_view language) const override {
    return language == "sh" || language == "python";
  }
  int error_retry_attempts() const override { return 1; }

  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override {
    const int now = ++running_;
    for (int most = peak_; now > most && !peak_.compare_exchange_weak(most, now);) {
    }
    auto result = run(request, context);
    --running_;
    return result;
  }

  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  int peak() const { return peak_; }  // most that ran at once
  int running() const { return running_; }
  std::chrono::milliseconds last_timeout() const { return last_timeout_; }
  std::chrono::milliseconds last_compile_timeout() const { return last_compile_timeout_; }

 private:
  Result<ExecutionResult> run(const ExecutionRequest& request, const ExecutionContext& context) {
    ExecutionResult result;
    result.status = ExecutionStatus::Success;
    result.exit_code = 0;
    result.backend = "fake";
    result.setup = std::chrono::microseconds(700);
    last_timeout_ = request.timeout.value_or(std::chrono::milliseconds(0));
    last_compile_timeout_ = request.compile_timeout.value_or(std::chrono::milliseconds(0));
    if (request.code.starts_with("echo ")) {
      result.stdout_data = request.code.substr(5);
      if (context.sink != nullptr) context.sink->on_stdout(result.stdout_data);
    } else if (request.code == "wait" || request.code == "wait slowly") {
      std::unique_lock lock(mutex_);
      const bool slow = request.code == "wait slowly" && context.sink != nullptr;
      for (int i = 0; i < 2 && slow; ++i) context.sink->on_notice("slow");
      if (context.sink != nullptr) context.sink->on_stdout("waiting");
      result.stdout_data = "waiting";
      changed_.wait(lock, context.cancel, [this] { return released_; });
      if (context.cancel.stop_requested()) {
        result.status = ExecutionStatus::Cancelled;
        result.exit_code.reset();
        result.killed = true;
      }
    } else if (request.code == "warn") {
      result.diagnostics = {{"warning", "unused", {}, {}, {}, {}}};
      if (context.sink != nullptr) (void)context.sink->on_diagnostics(result.diagnostics);
      result.stdout_data = "ran";
      if (context.sink != nullptr) context.sink->on_stdout(result.stdout_data);
    } else if (request.code == "break") {
      return Err(Error(ErrorCode::Sandbox, "mounting /proc: no"));
    } else if (request.code == "files") {
      result.output_files.push_back({"a.txt", Bytes{5}, "text/plain", false, "hello"});
      result.output_files.push_back({"../b", Bytes{3}, "text/plain", false, "bye"});
    }
    return result;
  }

  std::atomic<int> running_ = 0;
  std::atomic<int> peak_ = 0;
  std::atomic<std::chrono::milliseconds> last_timeout_;
  std::atomic<std::chrono::milliseconds> last_compile_timeout_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool released_ = false;
};

}  // namespace cove
