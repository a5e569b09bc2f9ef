#pragma once
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>

#include "executor/output_capture.h"
#include "session/member.h"
#include "session/runner_message.h"
#include "session/session.h"

namespace cove {

struct CellLimits {
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds grace{2'000};
  Bytes output;
  Bytes errors;
  std::optional<std::chrono::milliseconds> cpu_time;
};

// One cell in one interpreter, from handing it over to its last output. Whatever the interpreter
// does or says, it is over at the latest `grace` after the timeout. Used once.
class CellRun {
 public:
  CellRun(Member& member, const CellLimits& limits, CellSink* sink);

  // On return either the cell has ended and the interpreter waits for the next, or `state_lost` is
  // set and every process of it is dead.
  CellResult run(std::uint64_t number, std::string_view code, const std::stop_token& cancel);

  // From any thread: asks the cell to end.
  void interrupt();

 private:
  enum class Stop : unsigned char { No, Deadline, Cpu, Cancel };
  using Clock = std::chrono::steady_clock;

  void loop(const std::stop_token& cancel);
  void wait_once(int cancel_event);
  void on_time();
  void ask_to_stop(Stop why);
  void lose(std::string_view why);
  void read_messages();
  void take(RunnerMessage message);
  void show(RichData data);
  void read_some(UniqueFd& pipe, OutputCapture& capture);
  void drain(UniqueFd& pipe, OutputCapture& capture);
  void conclude();

  Member& member_;
  CellLimits limits_;
  CellSink* sink_;
  OutputCapture output_;
  OutputCapture errors_;
  CellResult result_;
  std::uint64_t number_ = 0;
  std::optional<RunnerDone> done_;
  Stop stop_ = Stop::No;
  bool lost_ = false;
  bool oom_ = false;
  Clock::time_point started_at_;
  Clock::time_point deadline_;  // of the present stage: the cell's, then of its grace
  std::chrono::microseconds cpu_before_{0};
  std::size_t shown_bytes_ = 0;

  std::mutex mutex_;  // the two below
  bool listening_ = false;
  bool interrupted_ = false;
};

}  // namespace cove
