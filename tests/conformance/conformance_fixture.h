#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "executor/code_executor.h"
#include "executor/native/native_executor.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove::conformance {

// One backend, and what the suite may expect of it beyond its capabilities.
struct Backend {
  std::string name;  // of the test cases: CamelCase
  std::function<Result<std::unique_ptr<CodeExecutor>>()> make;
  std::string backend;    // as results say
  std::string isolation;  // as results say
  bool warm = false;      // a plain run of python meets a waiting guest
  // Containers take a moment: added to every bound on time.
  std::chrono::milliseconds slack{0};
  std::string engine;  // the command that lists its containers: afterwards there is none
};
std::ostream& operator<<(std::ostream& out, const Backend& backend);

// The one list of what is tested. Names with "Container" need an engine: see
// scripts/test-containers. Those that begin with "Image" need a stored one: see image_test.py.
const std::vector<Backend>& backends();

RuntimeCatalog host_catalog();

// The contract of CodeExecutor, seen from outside: every case runs on every backend. Executors are
// made once and shared by the cases of one process.
class Conformance : public ::testing::TestWithParam<Backend> {
 protected:
  static void TearDownTestSuite();

  CodeExecutor& executor();
  // It keeps programs away from the host's files, network and variables.
  bool isolates() { return executor().capabilities().filesystem; }
  // Its memory, disk, network and host paths can be others for each request.
  bool per_request() { return executor().capabilities().per_request; }
  static bool is_container() { return !GetParam().engine.empty(); }
  static bool warm() { return GetParam().warm; }
  // Enough for a program to start and print; short all the same.
  static std::chrono::milliseconds soon() {
    return std::chrono::milliseconds(300) + GetParam().slack / 5;
  }
  static std::chrono::milliseconds within(std::chrono::milliseconds bound) {
    return bound + GetParam().slack;
  }

  // A request that this backend accepts: the default policy, or host_local where nothing is
  // isolated.
  ExecutionRequest request(std::string code, std::string language = "python");
  ExecutionResult run(const ExecutionRequest& request, const ExecutionContext& context = {});
  ExecutionResult run(std::string code) { return run(request(std::move(code))); }
  // The request is refused as a policy that cannot be had, and `what` is named.
  void expect_refused(const ExecutionRequest& request, std::string_view what);
};

const OutputFile* find_file(const ExecutionResult& result, std::string_view name);
bool hit(const ExecutionResult& result, LimitHit limit);
std::string describe(const ExecutionResult& result);

// Live processes whose command line has this word.
int processes_with(const std::string& word);
// The same, after giving them the time to go.
int processes_left(const std::string& word, std::chrono::milliseconds patience);

}  // namespace cove::conformance

#define COVE_ON_EVERY_BACKEND                                                \
  INSTANTIATE_TEST_SUITE_P(On, Conformance, ::testing::ValuesIn(backends()), \
                           [](const auto& backend) { return backend.param.name; })
