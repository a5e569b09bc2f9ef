// Which backends the suite runs on. A new one is an entry here.
#include "conformance/conformance_fixture.h"
#include "executor/container/container_executor.h"
#include "executor/local/local_executor.h"

namespace cove::conformance {
namespace {

using Made = Result<std::unique_ptr<CodeExecutor>>;

Made make_native(std::size_t pool) {
  NativeOptions options;
  options.pool.size = pool;
  if (pool > 0) options.pool.languages = {"python"};
  COVE_ASSIGN(auto executor, NativeExecutor::create(host_catalog(), options));
  return executor;
}

Made make_local() {
  return std::make_unique<LocalExecutor>(host_catalog());
}

// scripts/engine gives the engine and the image; it has no network but the host's.
Made make_container(const std::string& engine, std::size_t pool) {
  ContainerOptions options;
  options.engine = engine;
  options.image = "cove-test/python";
  options.network = "host";
  options.pool.size = pool;
  if (pool > 0) options.pool.languages = {"python"};
  COVE_ASSIGN(auto executor, ContainerExecutor::create(host_catalog(), options));
  return executor;
}

}  // namespace

const std::vector<Backend>& backends() {
  using std::chrono::milliseconds;
  constexpr milliseconds kContainer(6000);
  static const std::vector<Backend> all{
      {"NativeCold", [] { return make_native(0); }, "native", "namespaces", false, milliseconds(0)},
      {"NativeWarm", [] { return make_native(3); }, "native", "namespaces", true, milliseconds(0)},
      {"Local", make_local, "local", "none", false, milliseconds(0)},
      {"ContainerDocker", [] { return make_container("docker", 0); }, "container", "container",
       false, kContainer},
      {"ContainerPodman", [] { return make_container("podman", 0); }, "container", "container",
       false, kContainer},
      {"ContainerDockerPooled", [] { return make_container("docker", 2); }, "container",
       "container", true, kContainer},
  };
  return all;
}

}  // namespace cove::conformance
