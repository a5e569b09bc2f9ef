#include "executor/with_retries.h"

#include <algorithm>
#include <utility>

namespace cove {
namespace {

// Passes output on and remembers that there was some.
class WatchedSink final : public OutputSink {
 public:
  explicit WatchedSink(OutputSink* inner) : inner_(inner) {}

  void on_stdout(std::string_view bytes) override {
    used_ = true;
    inner_->on_stdout(bytes);
  }
  void on_stderr(std::string_view bytes) override {
    used_ = true;
    inner_->on_stderr(bytes);
  }
  bool on_diagnostics(const std::vector<Diagnostic>& diagnostics) override {
    const bool shown = inner_->on_diagnostics(diagnostics);
    used_ = used_ || shown;
    return shown;
  }
  void on_notice(std::string_view message) override { inner_->on_notice(message); }
  bool used() const { return used_; }

 private:
  OutputSink* inner_;
  bool used_ = false;
};

class RetryingExecutor final : public CodeExecutor {
 public:
  RetryingExecutor(std::unique_ptr<CodeExecutor> owned, CodeExecutor& inner)
      : owned_(std::move(owned)), inner_(inner) {}

  using CodeExecutor::execute;
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override {
    WatchedSink sink(context.sink);
    ExecutionContext watched = context;
    if (context.sink != nullptr) watched.sink = &sink;

    const int attempts = std::max(1, inner_.error_retry_attempts());
    for (int attempt = 1;; ++attempt) {
      auto result = inner_.execute(request, watched);
      if (result || attempt >= attempts || !is_retryable(result.error().code())) return result;
      if (context.cancel.stop_requested() || sink.used()) return result;
    }
  }

  std::string_view name() const override { return inner_.name(); }
  BackendCapabilities capabilities() const override { return inner_.capabilities(); }
  bool supports_language(std::string_view language) const override {
    return inner_.supports_language(language);
  }
  bool stateful() const override { return inner_.stateful(); }
  int error_retry_attempts() const override { return inner_.error_retry_attempts(); }
  std::chrono::milliseconds timeout() const override { return inner_.timeout(); }
  Result<> start() override { return inner_.start(); }
  Result<> stop() override { return inner_.stop(); }
  Result<> restart() override { return inner_.restart(); }
  bool is_running() const override { return inner_.is_running(); }
  Result<> cleanup() override { return inner_.cleanup(); }

 private:
  std::unique_ptr<CodeExecutor> owned_;  // empty when the caller keeps the executor
  CodeExecutor& inner_;
};

}  // namespace

bool is_retryable(ErrorCode code) {
  switch (code) {
    case ErrorCode::Sandbox:
    case ErrorCode::BackendUnavailable:
    case ErrorCode::ExecutionFailed:
    case ErrorCode::Internal:
      return true;
    // The request is at fault, or would meet the same end again.
    case ErrorCode::UnsupportedPolicy:
    case ErrorCode::UnsupportedLanguage:
    case ErrorCode::InvalidRequest:
    case ErrorCode::InvalidCode:
    case ErrorCode::CompileFailed:
    case ErrorCode::Timeout:
    case ErrorCode::Rejected:
    case ErrorCode::DependencyNotFound:
    case ErrorCode::Unauthorized:
    case ErrorCode::Forbidden:
    case ErrorCode::NotFound:
    case ErrorCode::Conflict:
    case ErrorCode::Gone:
    case ErrorCode::TooLarge:
    case ErrorCode::Busy:
      return false;
  }
  std::unreachable();
}

std::unique_ptr<CodeExecutor> with_retries(std::unique_ptr<CodeExecutor> executor) {
  CodeExecutor& inner = *executor;
  return std::make_unique<RetryingExecutor>(std::move(executor), inner);
}

std::unique_ptr<CodeExecutor> with_retries(CodeExecutor& executor) {
  return std::make_unique<RetryingExecutor>(nullptr, executor);
}

}  // namespace cove
