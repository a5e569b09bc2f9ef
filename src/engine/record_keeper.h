#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "engine/audit_log.h"
#include "engine/engine.h"
#include "engine/history.h"
#include "engine/kept_files.h"

namespace cove {

// What is kept of jobs: history, output files, audit log. None of it can fail a job: what cannot be
// written is counted, reported to EngineOptions::warn and in notes(). Thread-safe.
class RecordKeeper {
 public:
  // Locks the data directory: a second engine on it is a Conflict.
  static Result<std::unique_ptr<RecordKeeper>> open(const EngineOptions& options,
                                                    std::shared_ptr<Metrics> metrics);

  void submitted(const JobRecord& record) { history_->put(record); }
  void started(const JobRecord& record);
  // Makes the final record of it: moves the contents of output files to where they are kept, and
  // leaves the rest to history and audit.
  JobRecord ended(JobRecord record, Result<ExecutionResult> outcome);
  void forbidden(const Submission& submission, const Error& error);

  Result<JobRecord> find(std::string_view id) const { return history_->find(id); }
  std::vector<JobRecord> list(const JobFilter& filter) const { return history_->list(filter); }
  Result<KeptFile> file(const JobRecord& record, std::string_view name) const;
  Result<> audit(std::string_view who, std::string_view what, json::object details);

  void expire_files();
  std::vector<std::string> notes() const;

 private:
  RecordKeeper(const EngineOptions& options, std::shared_ptr<Metrics> metrics)
      : warn_(options.warn), metrics_(std::move(metrics)) {}
  Result<> open_parts(const EngineOptions& options);
  void keep_files(const std::string& id, ExecutionResult& result);
  void note(std::optional<std::string>& place, const Result<>& outcome, std::string_view what);
  void warn(const std::string& message) const;

  const std::function<void(const std::string&)> warn_;
  const std::shared_ptr<Metrics> metrics_;
  UniqueFd lock_;
  std::unique_ptr<AuditLog> audit_;  // null: none
  std::unique_ptr<KeptFiles> files_;
  std::unique_ptr<History> history_;
  mutable std::mutex mutex_;
  std::optional<std::string> file_problem_;
  std::optional<std::string> audit_problem_;
};

}  // namespace cove
