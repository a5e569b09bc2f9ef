#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>

#include "cli/terminal_filter.h"
#include "executor/code_executor.h"
#include "model/diagnostic_text.h"

namespace cove {

struct StreamOptions {
  bool raw = false;       // escape sequences pass to a terminal
  bool progress = false;  // an elapsed-time line while nothing is printed (stderr is a terminal)
  DiagnosticStyle diagnostics = DiagnosticStyle::Full;
};

// Prints a program's output as it comes. What goes to a terminal is filtered. When the reader of
// stdout or stderr is gone (`cove run … | head`) the run is cancelled through `stop`. Calls come
// from the executor's thread; the progress line from one of its own.
class StreamOutput final : public OutputSink {
 public:
  StreamOutput(StreamOptions options, std::stop_source& stop);
  ~StreamOutput() override;
  StreamOutput(const StreamOutput&) = delete;
  StreamOutput& operator=(const StreamOutput&) = delete;

  void on_stdout(std::string_view bytes) override { print(out_, bytes); }
  void on_stderr(std::string_view bytes) override { print(err_, bytes); }
  bool on_diagnostics(const std::vector<Diagnostic>& diagnostics) override;
  void on_notice(std::string_view message) override;  // at once, as notes are said at the end

  // Prints what is held back, and takes the progress line away. Call before saying anything else.
  void finish();
  bool reader_gone() const { return reader_gone_; }

 private:
  struct Channel {
    int fd;
    bool filtered;
    TerminalFilter filter;
  };

  void print(Channel& channel, std::string_view bytes);
  void show_progress(const std::stop_token& done);
  void clear_progress();

  std::stop_source& stop_;
  DiagnosticStyle diagnostics_;
  Channel out_;
  Channel err_;
  std::atomic<bool> reader_gone_ = false;

  std::mutex mutex_;  // guards what follows and the terminal
  std::condition_variable_any wake_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_output_ = started_;
  bool at_line_start_ = true;  // a progress line must not erase an unfinished line
  bool progress_shown_ = false;
  std::jthread progress_;
};

}  // namespace cove
