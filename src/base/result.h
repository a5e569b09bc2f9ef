#pragma once
#include <cerrno>
#include <expected>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace cove {

// What went wrong, as the caller may act on it. One name a code, in error_code_name().
enum class ErrorCode : unsigned char {
  UnsupportedPolicy,    // the backend cannot enforce what was asked
  UnsupportedLanguage,  // unknown, or not usable on this host
  InvalidRequest,       // a field is wrong; the message names it
  InvalidCode,
  CompileFailed,
  Timeout,
  ExecutionFailed,
  Rejected,
  Sandbox,  // setting up the containment failed; the message names the step
  DependencyNotFound,
  BackendUnavailable,
  Unauthorized,  // no key, or a wrong one
  Forbidden,     // the key does not allow it
  NotFound,
  Conflict,  // not in this state: busy with a cell, say
  Gone,      // was there; the message says why it is not any more
  TooLarge,
  Busy,  // past the jobs and the queue, or a rate: try later
  Internal,
};

// "unsupported_policy", "invalid_request", …
std::string_view error_code_name(ErrorCode code);

class Error {
 public:
  Error(ErrorCode code, std::string message,
        std::source_location where = std::source_location::current())
      : code_(code), message_(std::move(message)), where_(where) {}

  // Builds an internal error from errno; call it before anything else can change errno.
  static Error from_errno(std::string_view doing, int err = errno,
                          std::source_location where = std::source_location::current());

  // An invalid request, with the field that is wrong ("limits.memory").
  static Error invalid_field(std::string field, std::string_view problem,
                             std::source_location where = std::source_location::current());

  Error&& with_context(std::string_view outer) && {
    message_.insert(0, std::string(outer) + ": ");
    return std::move(*this);
  }

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& field() const { return field_; }  // empty unless invalid_field made it
  const std::source_location& where() const { return where_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::string field_;
  std::source_location where_;
};

template <class T = void>
using Result = std::expected<T, Error>;
using Err = std::unexpected<Error>;

}  // namespace cove

// The happy path stays straight: COVE_TRY(step()); COVE_ASSIGN(auto x, make_x());
#define COVE_CAT2(a, b) a##b
#define COVE_CAT(a, b) COVE_CAT2(a, b)
#define COVE_TRY_(tmp, expr) \
  if (auto tmp = (expr); !tmp) return ::cove::Err(std::move(tmp).error())
#define COVE_TRY(expr) COVE_TRY_(COVE_CAT(try_, __LINE__), expr)
#define COVE_ASSIGN_(tmp, lhs, expr)                    \
  auto tmp = (expr);                                    \
  if (!tmp) return ::cove::Err(std::move(tmp).error()); \
  lhs = std::move(*tmp)
#define COVE_ASSIGN(lhs, expr) COVE_ASSIGN_(COVE_CAT(res_, __LINE__), lhs, expr)
