#pragma once
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "docker/docker_executor.h"
#include "docker/docker_options.h"
#include "docker/engine_api.h"

namespace cove::docker_suite {

// The image that scripts/engine makes.
inline constexpr const char* kImage = "cove-test/python";

RuntimeCatalog profiles();
DockerOptions options();  // of that image
ExecutionRequest request(std::string code, std::string language = "python");

// A real engine, and after each test none of our containers in it.
class Docker : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::unique_ptr<DockerExecutor> make(DockerOptions options);
  // One default executor for the test.
  DockerExecutor& executor();
  ExecutionResult run(const ExecutionRequest& request, const ExecutionContext& context = {});
  ExecutionResult run(const std::string& code) { return run(request(code)); }

  EngineApi api();
  // Ids of all containers that this executor's label has.
  std::vector<std::string> containers();
  // Processes in the container that stay and are not its own two, as "uid command".
  std::vector<std::string> processes(const std::string& container);

 private:
  std::vector<std::string> processes_now(const std::string& container);

  std::unique_ptr<DockerExecutor> executor_;
};

std::string describe(const ExecutionResult& result);
const OutputFile* find_file(const ExecutionResult& result, std::string_view name);
bool hit(const ExecutionResult& result, LimitHit limit);

}  // namespace cove::docker_suite
