#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/live_input.h"
#include "base/result.h"
#include "engine/caller.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove {

using WallTime = std::chrono::system_clock::time_point;

// Failed is only the infrastructure's failing or a refusal; a program that fails is Done.
enum class JobState : unsigned char { Queued, Running, Done, Failed };

std::string_view job_state_name(JobState state);  // "queued", "running", "done", "failed"
std::optional<JobState> job_state_from_name(std::string_view name);

// One execution as the server knows it, from its submission to the end of its history.
struct JobRecord {
  std::string id;
  std::string caller;
  std::string language;
  std::string policy;     // name of the preset, or "custom"
  std::string code_hash;  // SHA-256, hexadecimal
  JobState state = JobState::Queued;
  WallTime created;
  std::optional<WallTime> started;
  std::optional<WallTime> finished;
  // Done: without the contents of output files, which are kept apart (Engine::file).
  std::shared_ptr<const ExecutionResult> result;
  std::optional<Error> error;  // Failed
  std::string request_id;
  std::string traceparent;  // W3C trace context, as the client sent it
};

enum class OutputStream : unsigned char { Stdout, Stderr };

// Told what happens to a job, in order, on the engine's threads. Must return soon and not call back
// into the engine. on_end is the last call, also when the job failed or was cancelled in the queue.
class JobWatcher {
 public:
  virtual ~JobWatcher() = default;
  virtual void on_start() {}
  // What a compiler said, before the program runs or instead of that. In the latter case it follows
  // as stderr, too.
  virtual void on_diagnostics(const std::vector<Diagnostic>& /*diagnostics*/) {}
  // Why it takes long now, one sentence.
  virtual void on_notice(std::string_view /*message*/) {}
  virtual void on_output(OutputStream stream, std::string_view bytes) = 0;
  virtual void on_end(const JobRecord& record) = 0;
  // False: it wants what was written so far and is not kept; of a job that is not over it hears no
  // end.
  virtual bool follows() const { return true; }
};

// Among the notes of a result: its work was cancelled by a server that stops, by nobody else.
inline constexpr std::string_view kServerStopping = "the server is stopping and has ended it";

struct Submission {
  ExecutionRequest request;
  std::string backend;             // one of EngineOptions::backends; empty: the engine's executor
  std::string policy_name;         // as the client named it; empty: custom
  std::vector<std::string> notes;  // go into the result
  Caller caller;
  std::string request_id;
  std::string traceparent;
  std::shared_ptr<LiveInput> live;  // may be null
  std::optional<TerminalSize> terminal;
};

}  // namespace cove
