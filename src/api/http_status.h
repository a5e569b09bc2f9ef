#pragma once
#include "api/http_message.h"
#include "base/json.h"
#include "base/result.h"

namespace cove {

// The one table of which status an error becomes.
int http_status(ErrorCode code);

// {"error": {"code", "message", "field"?}}
json::object error_body(const Error& error);
HttpResponse error_response(const Error& error);
HttpResponse json_response(int status, const json::value& value);

}  // namespace cove
