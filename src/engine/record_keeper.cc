#include "engine/record_keeper.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/strings.h"
#include "engine/private_file.h"
#include "model/names.h"

namespace cove {
namespace {

using Clock = std::chrono::system_clock;

// Of history and of files, where there is no directory for them.
constexpr Bytes kMaxInMemory = Bytes::mib(32);
// A killed predecessor may still be dying.
constexpr auto kLockPatience = std::chrono::seconds(3);

json::object audit_details(const JobRecord& record) {
  return {{"id", record.id},
          {"language", record.language},
          {"policy", sanitize_utf8(record.policy)},
          {"code_sha256", record.code_hash}};
}

std::string outcome_of(const JobRecord& record) {
  if (record.error) return std::string(error_code_name(record.error->code()));
  return std::string(name_of(record.result->status));
}

}  // namespace

Result<std::unique_ptr<RecordKeeper>> RecordKeeper::open(const EngineOptions& options,
                                                         std::shared_ptr<Metrics> metrics) {
  std::unique_ptr<RecordKeeper> keeper(new RecordKeeper(options, std::move(metrics)));
  COVE_TRY(keeper->open_parts(options));
  return keeper;
}

Result<> RecordKeeper::open_parts(const EngineOptions& options) {
  HistoryOptions history;
  KeptFilesOptions files;
  history.age = options.history_age;
  history.bytes = options.history_bytes;
  history.on_lost = [this](std::size_t count) {
    metrics_->add("cove_history_lost_total", {}, static_cast<double>(count));
  };
  history.on_problem = [this](const std::string& why) {
    warn("the history cannot be written: " + why);
  };
  files.age = options.file_age;
  files.bytes = options.file_bytes;
  if (options.data_dir.empty()) {
    history.bytes = std::min(history.bytes, kMaxInMemory);
    files.bytes = std::min(files.bytes, kMaxInMemory);
  } else {
    COVE_TRY(make_private_directory(options.data_dir));
    files.directory = options.data_dir + "/files";
    COVE_TRY(make_private_directory(files.directory));
    // Not the data directory itself: `cove keys` locks that to change a key file in it.
    COVE_ASSIGN(lock_, lock_directory(files.directory, kLockPatience));
    history.path = options.data_dir + "/history.sqlite3";
    // SQLite would make it readable for all, and gives its other files the mode of this one.
    const UniqueFd made(::open(history.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!made) return Err(Error::from_errno("creating " + history.path));
    COVE_ASSIGN(audit_, AuditLog::open(options.data_dir + "/audit.jsonl"));
  }
  COVE_ASSIGN(files_, KeptFiles::open(std::move(files), Clock::now()));
  COVE_ASSIGN(history_, History::open(std::move(history)));
  return {};
}

void RecordKeeper::warn(const std::string& message) const {
  if (warn_) warn_(message);
}

void RecordKeeper::note(std::optional<std::string>& place, const Result<>& outcome,
                        std::string_view what) {
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_news = !outcome && !place;
    place.reset();
    if (!outcome) place = fmt::format("{}: {}", what, outcome.error().message());
  }
  if (is_news) warn(fmt::format("{}: {}", what, outcome.error().message()));
}

Result<> RecordKeeper::audit(std::string_view who, std::string_view what, json::object details) {
  if (!audit_) return {};
  auto written = audit_->append(who, what, std::move(details));
  if (!written) metrics_->add("cove_audit_lost_total", {});
  note(audit_problem_, written, "the audit log cannot be written");
  return written;
}

void RecordKeeper::started(const JobRecord& record) {
  history_->put(record);
  static_cast<void>(audit(record.caller, "execution.start", audit_details(record)));
}

void RecordKeeper::forbidden(const Submission& submission, const Error& error) {
  static_cast<void>(audit(submission.caller.name, "execution.forbidden",
                          {{"reason", sanitize_utf8(error.message())}}));
}

void RecordKeeper::keep_files(const std::string& id, ExecutionResult& result) {
  for (std::size_t i = 0; i < result.output_files.size(); ++i) {
    auto& content = result.output_files[i].content;
    if (!content) continue;
    const auto kept = files_->keep(id, i, *content, Clock::now());
    content.reset();
    // Too large for the store is the file's matter, not the store's.
    if (kept || kept.error().code() != ErrorCode::TooLarge) {
      note(file_problem_, kept, "output files cannot be kept");
    }
  }
}

JobRecord RecordKeeper::ended(JobRecord record, Result<ExecutionResult> outcome) {
  record.finished = Clock::now();
  if (outcome) {
    record.state = JobState::Done;
    outcome->execution_id = record.id;
    keep_files(record.id, *outcome);
    record.result = std::make_shared<const ExecutionResult>(std::move(*outcome));
  } else {
    record.state = JobState::Failed;
    record.error = std::move(outcome).error();
  }
  auto details = audit_details(record);
  details["outcome"] = outcome_of(record);
  if (record.result) details["backend"] = sanitize_utf8(record.result->backend);
  static_cast<void>(audit(record.caller, "execution.end", std::move(details)));
  history_->put(record);
  return record;
}

Result<KeptFile> RecordKeeper::file(const JobRecord& record, std::string_view name) const {
  if (record.state == JobState::Queued || record.state == JobState::Running) {
    return Err(
        Error(ErrorCode::Conflict, fmt::format("execution {} is not over yet", quoted(record.id))));
  }
  if (record.result) {
    const auto& list = record.result->output_files;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].name != name) continue;
      COVE_ASSIGN(auto content, files_->read(record.id, i, Clock::now()));
      return KeptFile{list[i].name, list[i].mime_type, std::move(content)};
    }
  }
  return Err(Error(ErrorCode::NotFound,
                   fmt::format("execution {} left no file {}", quoted(record.id), quoted(name))));
}

void RecordKeeper::expire_files() {
  files_->expire(Clock::now());
}

std::vector<std::string> RecordKeeper::notes() const {
  std::vector<std::string> out;
  if (const auto problem = history_->problem()) {
    out.push_back("the history cannot be written: " + *problem);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& problem : {file_problem_, audit_problem_}) {
    if (problem) out.push_back(*problem);
  }
  return out;
}

}  // namespace cove
