#pragma once
#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "executor/code_executor.h"
#include "executor/native/native_executor.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove::conformance {

enum class Backend : unsigned char { NativeCold, NativeWarm, Local };
std::ostream& operator<<(std::ostream& out, Backend backend);
std::string name_of(Backend backend);

RuntimeCatalog host_catalog();

// The contract of CodeExecutor, seen from outside: every case runs on every backend. Executors are
// made once and shared by the cases of one process.
class Conformance : public ::testing::TestWithParam<Backend> {
 protected:
  static void TearDownTestSuite();

  CodeExecutor& executor();
  NativeExecutor* warm_executor();  // null but for NativeWarm
  bool native() const { return GetParam() != Backend::Local; }
  bool warm() const { return GetParam() == Backend::NativeWarm; }

  // A request that this backend accepts: the default policy, or host_local where nothing is
  // isolated.
  ExecutionRequest request(std::string code, std::string language = "python") const;
  ExecutionResult run(const ExecutionRequest& request, const ExecutionContext& context = {});
  ExecutionResult run(std::string code) { return run(request(std::move(code))); }
};

const OutputFile* find_file(const ExecutionResult& result, std::string_view name);
bool hit(const ExecutionResult& result, LimitHit limit);
std::string describe(const ExecutionResult& result);

// Live processes whose command line has this word.
int processes_with(const std::string& word);
// The same, after giving them the time to go.
int processes_left(const std::string& word, std::chrono::milliseconds patience);

}  // namespace cove::conformance

#define COVE_ON_EVERY_BACKEND                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                        \
      On, Conformance,                                                             \
      ::testing::Values(Backend::NativeCold, Backend::NativeWarm, Backend::Local), \
      [](const auto& backend) { return name_of(backend.param); })
