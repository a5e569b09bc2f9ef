#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/job.h"
#include "engine/job_filter.h"
#include "engine/metrics.h"
#include "executor/code_executor.h"

namespace cove {

struct EngineOptions {
  // Besides the executor that the engine is made with: what a submission may name, by name.
  std::map<std::string, std::shared_ptr<CodeExecutor>, std::less<>> backends;
  unsigned max_jobs = 4;       // run at once
  std::size_t max_queue = 64;  // wait, over all callers; past it: Busy
  std::chrono::milliseconds default_timeout{30'000};
  std::chrono::milliseconds max_timeout{60'000};   // longer ones are clamped
  std::chrono::milliseconds max_compile{180'000};  // of all compilers' steps together; the same
  // History, audit log, kept files; empty: history and files in memory (at most 32 MiB of each), no
  // audit. Made if need be (0700). One engine at a time.
  std::string data_dir;
  std::chrono::seconds history_age{7 * 24 * 3600};
  Bytes history_bytes = Bytes::mib(256);
  std::chrono::seconds file_age{3600};
  Bytes file_bytes = Bytes::mib(256);  // of output files of past executions, over all
  // A language's own name for a name or alias, or an error that says which there are; unset: what a
  // request says in lower case, if the executor supports it.
  std::function<Result<std::string>(std::string_view)> resolve_language;
  // Why a language that has a name cannot be run: by the engine's own executor (null), or by that
  // of a further backend. Nothing, or no function: only that it cannot.
  std::function<std::optional<Error>(std::string_view, const CodeExecutor*)> why_unsupported;
  // What the operator should read in the log: history that cannot be written, say. From any thread.
  std::function<void(const std::string& message)> warn;
};

struct KeptFile {
  std::string name;
  std::string mime_type;
  std::string content;
};

// What the servers share: admission, the queue, running, history, metrics. Thread-safe. Jobs run on
// threads of its own, one each.
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(EngineOptions options,
                                                std::shared_ptr<CodeExecutor> executor,
                                                std::shared_ptr<Metrics> metrics);
  virtual ~Engine() = default;

  // Checks the request against the caller's limits and the backend, and queues it; returns its id.
  // Callers take turns: one with many waiting jobs does not hold up another's first. Busy: the
  // queue is full or the caller's rate is used up; see retry_after().
  virtual Result<std::string> submit(Submission submission,
                                     std::shared_ptr<JobWatcher> watcher) = 0;
  // Watches a job that somebody submitted: what it has written so far at once, then the rest. For a
  // job that is over: its output and on_end at once, on the calling thread.
  virtual Result<> watch(std::string_view id, std::shared_ptr<JobWatcher> watcher) = 0;
  // Ends a queued or running job, as soon as it can be. A job that is over stays as it is.
  virtual Result<> cancel(std::string_view id) = 0;

  // A place among the running jobs for work that is no job, a session's cell: waits in the same
  // fair queue and counts against the caller's limits. Given back when the last copy goes, which
  // must be before the engine does. Busy: as for submit(); Conflict: cancelled while it waited.
  virtual Result<std::shared_ptr<void>> take_place(const Caller& caller,
                                                   const std::stop_token& cancel) = 0;

  virtual Result<JobRecord> find(std::string_view id) const = 0;  // NotFound; Gone if it expired
  virtual std::vector<JobRecord> list(const JobFilter& filter) const = 0;  // newest first
  virtual Result<KeptFile> file(std::string_view id, std::string_view name) const = 0;

  // One entry of the audit log for something that is not a job: a session's cell, a key, a start.
  virtual Result<> audit(std::string_view who, std::string_view what, json::object details) = 0;

  virtual std::chrono::seconds retry_after() const = 0;
  // The same for one caller, whose own rate may make it longer.
  virtual std::chrono::seconds retry_after_for(std::string_view /*caller*/) const {
    return retry_after();
  }
  // Takes jobs. Stays true while only keeping records fails: see notes().
  virtual bool is_ready() const = 0;
  // What does not work as it should although jobs run, one sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
  virtual bool is_idle() const = 0;  // no job runs or waits
  // No new jobs; waits for those there are, until `hurry` at most, then cancels what is left.
  // False: some were cancelled.
  virtual bool drain(std::chrono::milliseconds grace, const std::stop_token& hurry = {}) = 0;
};

}  // namespace cove
