#include "engine/history_row.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "model/result_codec.h"

namespace cove {
namespace {

using std::chrono::microseconds;

std::int64_t to_number(WallTime time) {
  return std::chrono::duration_cast<microseconds>(time.time_since_epoch()).count();
}

std::optional<std::int64_t> to_number(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return to_number(*time);
}

std::optional<WallTime> read_time(const SqliteStatement& statement, int column) {
  if (statement.is_null(column)) return std::nullopt;
  return WallTime(microseconds(statement.integer(column)));
}

ErrorCode code_from_name(std::string_view name) {
  for (unsigned char i = 0; i < static_cast<unsigned char>(ErrorCode::Internal); ++i) {
    if (error_code_name(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  }
  return ErrorCode::Internal;
}

Error restore_error(std::string_view code, std::string message, std::string field) {
  // invalid_field() puts the field before the problem, so it is taken off again first.
  const std::string prefix = fmt::format("field \"{}\": ", field);
  if (!field.empty() && message.starts_with(prefix)) {
    return Error::invalid_field(std::move(field), message.substr(prefix.size()));
  }
  return {code_from_name(code), std::move(message)};
}

}  // namespace

void bind_row(SqliteStatement& statement, const HistoryEntry& entry) {
  const JobRecord& job = entry.record;
  statement.bind(entry.sequence).bind(job.id).bind(job.caller).bind(job.language).bind(job.policy);
  statement.bind(job.code_hash).bind(job_state_name(job.state)).bind(to_number(job.created));
  statement.bind(to_number(job.started)).bind(to_number(job.finished));
  if (job.result) {
    statement.bind(encode_result_text(*job.result));
  } else {
    statement.bind(std::nullopt);
  }
  if (job.error) {
    statement.bind(error_code_name(job.error->code()));
    statement.bind(sanitize_utf8(job.error->message())).bind(sanitize_utf8(job.error->field()));
  } else {
    statement.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
  }
  statement.bind(sanitize_utf8(job.request_id)).bind(sanitize_utf8(job.traceparent));
}

HistoryEntry read_row(const SqliteStatement& statement) {
  HistoryEntry entry;
  JobRecord& job = entry.record;
  entry.sequence = statement.integer(0);
  job.id = statement.text(1);
  job.caller = statement.text(2);
  job.language = statement.text(3);
  job.policy = statement.text(4);
  job.code_hash = statement.text(5);
  job.state = job_state_from_name(statement.text(6)).value_or(JobState::Failed);
  job.created = read_time(statement, 7).value_or(WallTime());
  job.started = read_time(statement, 8);
  job.finished = read_time(statement, 9);
  if (!statement.is_null(10)) {
    auto result = decode_result_text(statement.text(10));
    if (result) job.result = std::make_shared<const ExecutionResult>(std::move(*result));
  }
  if (!statement.is_null(11)) {
    job.error = restore_error(statement.text(11), statement.text(12), statement.text(13));
  }
  job.request_id = statement.text(14);
  job.traceparent = statement.text(15);
  return entry;
}

}  // namespace cove
