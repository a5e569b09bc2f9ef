#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "base/live_input.h"
#include "base/result.h"
#include "executor/pool_report.h"
#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove {

struct Runtime;

// Receives output while the program runs, on the thread that called execute(). Only what is within
// the caps arrives here.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  virtual void on_stdout(std::string_view bytes) = 0;
  virtual void on_stderr(std::string_view bytes) = 0;
  // What a compiler said, before the program runs or instead of that. True: it was shown. False,
  // the default: where nothing will run, it comes as stderr.
  virtual bool on_diagnostics(const std::vector<Diagnostic>& /*diagnostics*/) { return false; }
  // Why it takes long now, one sentence: a compiler is being prepared. Nothing of the program's.
  virtual void on_notice(std::string_view /*message*/) {}
};

struct ExecutionContext {
  std::stop_token cancel;
  OutputSink* sink = nullptr;
  // Input and signals that come while the program runs; null: only what the request holds.
  LiveInput* live = nullptr;
  // A pseudo-terminal of this size as standard input, output and error. Its output is one stream
  // and arrives as stdout.
  std::optional<TerminalSize> terminal = std::nullopt;
  // What starts the program instead of the language's interpreter, for steps of a compilation
  // (toolchain/). Only where takes_runtime() is true.
  const Runtime* runtime = nullptr;
};

// For executors that compile nothing: what a request with an `entry` is answered.
Error entry_is_for_compiled();

// One way to run code. Calls block and may come from many threads at once. An Error means that the
// infrastructure failed or that the request was refused before anything ran; everything a program
// does is an ExecutionResult.
class CodeExecutor {
 public:
  virtual ~CodeExecutor() = default;
  virtual std::string_view name() const = 0;
  virtual BackendCapabilities capabilities() const = 0;
  virtual bool supports_language(std::string_view language) const = 0;
  virtual Result<ExecutionResult> execute(const ExecutionRequest& request,
                                          const ExecutionContext& context) = 0;
  Result<ExecutionResult> execute(const ExecutionRequest& request) { return execute(request, {}); }

  virtual bool stateful() const { return false; }
  // Whether ExecutionContext::runtime is obeyed.
  virtual bool takes_runtime() const { return false; }
  // Total attempts on infrastructure errors, at least 1: see with_retries.h.
  virtual int error_retry_attempts() const { return 2; }
  virtual std::chrono::milliseconds timeout() const { return std::chrono::seconds(30); }

  virtual Result<> start() { return {}; }
  virtual Result<> stop() { return {}; }
  virtual Result<> restart();
  virtual bool is_running() const { return true; }
  virtual Result<> cleanup() { return {}; }
  // Of each language for which guests or containers wait; empty: none do.
  virtual std::vector<PoolReport> pool_report() const { return {}; }
};

}  // namespace cove
