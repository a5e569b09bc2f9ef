// Runs three programs in one container of the Docker engine that DOCKER_HOST names.
//   docker IMAGE      an image with python3, such as python:3.12-slim
#include <cstdio>
#include <string>

#include <cove/base/data_dir.h>
#include <cove/docker/docker_executor.h>

namespace {

int fail(const cove::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto data = cove::data_dir();
  if (!data) return fail(data.error());
  auto catalog = cove::RuntimeCatalog::load(*data + "/profiles");
  if (!catalog) return fail(catalog.error());

  auto options = cove::DockerOptions::custom(argc > 1 ? argv[1] : "python:3.12-slim");
  options.env("GREETING", "hello");
  auto executor = cove::DockerExecutor::create(std::move(*catalog), options);
  if (!executor) return fail(executor.error());

  for (const std::string name : {"one", "two", "three"}) {
    cove::ExecutionRequest request;
    request.code = "import os; print(os.environ['GREETING'], '" + name + "')";
    const auto result = (*executor)->execute(request);
    if (!result) return fail(result.error());
    std::fputs(result->stdout_data.c_str(), stdout);
  }
  const auto stopped = (*executor)->stop();  // and removes the container
  return stopped ? 0 : fail(stopped.error());
}
