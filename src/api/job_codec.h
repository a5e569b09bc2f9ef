#pragma once
#include "base/json.h"
#include "engine/job.h"

namespace cove {

// A job as `GET /v1/executions/{id}` shows it. In lists the outputs are left out: of the result
// there are then only status, exit_code and duration_ms.
json::object encode_job(const JobRecord& record);
json::object encode_job_summary(const JobRecord& record);

// The answer of POST /execute: the fields of the sidecar contract, all of them always there, and
// Cove's own.
json::object encode_sidecar_result(const ExecutionResult& result);

}  // namespace cove
