#include "api/http_status.h"

#include "base/strings.h"
#include "base/write_json.h"

namespace cove {

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidRequest:
    case ErrorCode::InvalidCode:
      return 400;
    case ErrorCode::Unauthorized:
      return 401;
    case ErrorCode::Forbidden:
      return 403;
    case ErrorCode::NotFound:
      return 404;
    case ErrorCode::Conflict:
      return 409;
    case ErrorCode::Gone:
      return 410;
    case ErrorCode::TooLarge:
      return 413;
    case ErrorCode::UnsupportedLanguage:
    case ErrorCode::UnsupportedPolicy:
    case ErrorCode::Rejected:
      return 422;
    case ErrorCode::Busy:
      return 429;
    case ErrorCode::BackendUnavailable:
      return 503;
    case ErrorCode::CompileFailed:
    case ErrorCode::Timeout:
    case ErrorCode::ExecutionFailed:
    case ErrorCode::Sandbox:
    case ErrorCode::DependencyNotFound:
    case ErrorCode::Internal:
      return 500;
  }
  return 500;
}

json::object error_body(const Error& error) {
  json::object inner{{"code", error_code_name(error.code())},
                     {"message", sanitize_utf8(error.message())}};
  if (!error.field().empty()) inner["field"] = sanitize_utf8(error.field());
  return json::object{{"error", std::move(inner)}};
}

HttpResponse error_response(const Error& error) {
  HttpResponse response = json_response(http_status(error.code()), error_body(error));
  if (error.code() == ErrorCode::Unauthorized) {
    response.with_header("WWW-Authenticate", "Bearer");
  }
  return response;
}

HttpResponse json_response(int status, const json::value& value) {
  return HttpResponse::text(status, write_json(value) + "\n", "application/json");
}

}  // namespace cove
