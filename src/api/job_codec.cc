#include "api/job_codec.h"

#include "api/http_status.h"
#include "base/strings.h"
#include "engine/rfc3339.h"
#include "model/names.h"
#include "model/result_codec.h"

namespace cove {

namespace {

json::object encode_head(const JobRecord& record) {
  json::object out{{"id", record.id},
                   {"state", job_state_name(record.state)},
                   {"caller", sanitize_utf8(record.caller)},
                   {"language", sanitize_utf8(record.language)},
                   {"policy", sanitize_utf8(record.policy)},
                   {"code_sha256", record.code_hash},
                   {"created", format_rfc3339(record.created)}};
  if (record.started) out["started"] = format_rfc3339(*record.started);
  if (record.finished) out["finished"] = format_rfc3339(*record.finished);
  if (!record.request_id.empty()) out["request_id"] = sanitize_utf8(record.request_id);
  if (!record.traceparent.empty()) out["traceparent"] = sanitize_utf8(record.traceparent);
  if (record.error) out["error"] = error_body(*record.error).at("error");
  return out;
}

}  // namespace

json::object encode_job(const JobRecord& record) {
  json::object out = encode_head(record);
  if (record.result) out["result"] = encode_result(*record.result);
  return out;
}

json::object encode_job_summary(const JobRecord& record) {
  json::object out = encode_head(record);
  if (record.result) {
    const ExecutionResult& result = *record.result;
    out["status"] = name_of(result.status);
    if (result.exit_code) out["exit_code"] = *result.exit_code;
    out["duration_ms"] = static_cast<double>(result.duration.count()) / 1000.0;
  }
  return out;
}

json::object encode_sidecar_result(const ExecutionResult& result) {
  json::object out = encode_result(result);
  if (!result.exit_code) out["exit_code"] = nullptr;
  out["truncated"] = result.stdout_truncated || result.stderr_truncated;
  return out;
}

}  // namespace cove
