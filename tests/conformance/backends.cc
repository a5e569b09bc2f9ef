// Which backends the suite runs on. A new one is an entry here.
#include "conformance/conformance_fixture.h"
#include "docker/docker_executor.h"
#include "executor/container/container_executor.h"
#include "executor/local/local_executor.h"
#include "image/image_store.h"

namespace cove::conformance {
namespace {

using Made = Result<std::unique_ptr<CodeExecutor>>;

constexpr const char* kContainerImage = "cove-test/python";    // of scripts/engine
constexpr const char* kStoredImage = "cove-test/python:host";  // of image_test.py

Made make_native(std::size_t pool, NativeOptions options = {}) {
  options.pool.size = pool;
  if (pool > 0) options.pool.languages = {"python"};
  COVE_ASSIGN(auto executor, NativeExecutor::create(host_catalog(), options));
  return executor;
}

Made make_image(std::size_t pool) {
  NativeOptions options;
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  COVE_ASSIGN(options.image, store.open_root(kStoredImage));
  return make_native(pool, std::move(options));
}

Made make_local() {
  return std::make_unique<LocalExecutor>(host_catalog());
}

// scripts/engine gives the engine and the image; it has no network but the host's.
Made make_container(const std::string& engine, std::size_t pool) {
  ContainerOptions options;
  options.engine = engine;
  options.image = kContainerImage;
  options.network = "host";
  options.pool.size = pool;
  if (pool > 0) options.pool.languages = {"python"};
  COVE_ASSIGN(auto executor, ContainerExecutor::create(host_catalog(), options));
  return executor;
}

Made make_persistent() {
  COVE_ASSIGN(auto executor,
              DockerExecutor::create(host_catalog(), DockerOptions::custom(kContainerImage)));
  return executor;
}

}  // namespace

const std::vector<Backend>& backends() {
  using std::chrono::milliseconds;
  constexpr milliseconds kContainer(6000);
  const std::string image = std::string("image:") + kStoredImage;
  static const std::vector<Backend> all{
      {"NativeCold", [] { return make_native(0); }, "native", "namespaces", false, milliseconds(0),
       ""},
      {"NativeWarm", [] { return make_native(3); }, "native", "namespaces", true, milliseconds(0),
       ""},
      {"Local", make_local, "local", "none", false, milliseconds(0), ""},
      {"ContainerDocker", [] { return make_container("docker", 0); }, "container", "container",
       false, kContainer, "docker"},
      {"ContainerPodman", [] { return make_container("podman", 0); }, "container", "container",
       false, kContainer, "podman"},
      {"ContainerDockerPooled", [] { return make_container("docker", 2); }, "container",
       "container", true, kContainer, "docker"},
      {"ContainerPersistent", make_persistent, "docker", "container", false, kContainer, "docker"},
      {"ImageCold", [] { return make_image(0); }, image, "namespaces", false, milliseconds(0), ""},
      {"ImageWarm", [] { return make_image(3); }, image, "namespaces", true, milliseconds(0), ""},
  };
  return all;
}

}  // namespace cove::conformance
