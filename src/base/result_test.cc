#include "base/result.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(Error, NamesTheFieldThatIsWrong) {
  const Error error =
      Error::invalid_field("limits.memory", "must be between 1 MiB and 1 TiB, got 5");
  EXPECT_EQ(error.message(), "field \"limits.memory\": must be between 1 MiB and 1 TiB, got 5");
  EXPECT_EQ(error.field(), "limits.memory");
  EXPECT_EQ(error.code(), ErrorCode::InvalidRequest);
}

TEST(Error, SaysWhatWasDoneAndWhatTheKernelAnswered) {
  const Error error = Error::from_errno("mount /proc", EPERM);
  EXPECT_EQ(error.message(), "mount /proc: Operation not permitted (errno 1)");
  EXPECT_EQ(error.code(), ErrorCode::Internal);
  EXPECT_TRUE(error.field().empty());
}

TEST(Error, ContextComesFirst) {
  const Error error = Error(ErrorCode::Sandbox, "no user namespaces").with_context("set-up");
  EXPECT_EQ(error.message(), "set-up: no user namespaces");
}

TEST(Error, EveryCodeHasItsName) {
  EXPECT_EQ(error_code_name(ErrorCode::UnsupportedPolicy), "unsupported_policy");
  EXPECT_EQ(error_code_name(ErrorCode::UnsupportedLanguage), "unsupported_language");
  EXPECT_EQ(error_code_name(ErrorCode::CompileFailed), "compile_failed");
  EXPECT_EQ(error_code_name(ErrorCode::Timeout), "timeout");
  EXPECT_EQ(error_code_name(ErrorCode::ExecutionFailed), "execution_failed");
  EXPECT_EQ(error_code_name(ErrorCode::Rejected), "rejected");
  EXPECT_EQ(error_code_name(ErrorCode::InvalidRequest), "invalid_request");
  EXPECT_EQ(error_code_name(ErrorCode::InvalidCode), "invalid_code");
  EXPECT_EQ(error_code_name(ErrorCode::Sandbox), "sandbox");
  EXPECT_EQ(error_code_name(ErrorCode::Internal), "internal");
  EXPECT_EQ(error_code_name(ErrorCode::DependencyNotFound), "dependency_not_found");
  EXPECT_EQ(error_code_name(ErrorCode::BackendUnavailable), "backend_unavailable");
}

}  // namespace
}  // namespace cove
