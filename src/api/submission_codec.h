#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "api/request_guard.h"
#include "base/json.h"
#include "base/result.h"
#include "model/execution_request.h"

namespace cove {

struct DecodedSubmission {
  ExecutionRequest request;
  std::string policy_name;         // of a preset; empty: the request's own policy
  std::string backend;             // of those that are offered; empty: the server's own
  std::vector<std::string> notes;  // what the server gives less of than its policy says
};

// A body as JSON: not empty, not nested too deep.
Result<json::value> parse_body(std::string_view body);

// The body of POST /v1/executions: a request as in model/request_codec.h, less what the server
// decides (identity, execution_id), and with `backend`, held to what the guard allows.
Result<DecodedSubmission> decode_submission(std::string_view body, const RequestGuard& guard);
Result<DecodedSubmission> decode_submission_value(const json::value& body,
                                                  const RequestGuard& guard);

// The body of POST /execute: as above, but a file's content is text unless its `encoding` says
// base64, its name has no path separator, and a `timeout_ms` of zero or less means the default.
Result<DecodedSubmission> decode_sidecar_submission(std::string_view body,
                                                    const RequestGuard& guard);

}  // namespace cove
