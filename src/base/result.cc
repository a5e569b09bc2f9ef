#include "base/result.h"

#include <system_error>

namespace cove {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::UnsupportedPolicy:
      return "unsupported_policy";
    case ErrorCode::UnsupportedLanguage:
      return "unsupported_language";
    case ErrorCode::InvalidRequest:
      return "invalid_request";
    case ErrorCode::InvalidCode:
      return "invalid_code";
    case ErrorCode::CompileFailed:
      return "compile_failed";
    case ErrorCode::Timeout:
      return "timeout";
    case ErrorCode::ExecutionFailed:
      return "execution_failed";
    case ErrorCode::Rejected:
      return "rejected";
    case ErrorCode::Sandbox:
      return "sandbox";
    case ErrorCode::DependencyNotFound:
      return "dependency_not_found";
    case ErrorCode::BackendUnavailable:
      return "backend_unavailable";
    case ErrorCode::Unauthorized:
      return "unauthorized";
    case ErrorCode::Forbidden:
      return "forbidden";
    case ErrorCode::NotFound:
      return "not_found";
    case ErrorCode::Conflict:
      return "conflict";
    case ErrorCode::Gone:
      return "gone";
    case ErrorCode::TooLarge:
      return "too_large";
    case ErrorCode::Busy:
      return "busy";
    case ErrorCode::Internal:
      return "internal";
  }
  std::unreachable();
}

Error Error::from_errno(std::string_view doing, int err, std::source_location where) {
  // std::system_category is thread-safe where strerror() is not.
  std::string message(doing);
  message += ": ";
  message += std::system_category().message(err);
  message += " (errno " + std::to_string(err) + ")";
  return {ErrorCode::Internal, std::move(message), where};
}

Error Error::invalid_field(std::string field, std::string_view problem,
                           std::source_location where) {
  Error error(ErrorCode::InvalidRequest, "field \"" + field + "\": " + std::string(problem), where);
  error.field_ = std::move(field);
  return error;
}

}  // namespace cove
