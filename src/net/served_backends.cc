#include "net/served_backends.h"

#include <memory>
#include <utility>

#include "base/strings.h"
#include "docker/docker_executor.h"
#include "executor/container/container_executor.h"
#include "executor/local/local_executor.h"
#include "executor/native/native_executor.h"
#include "image/image_store.h"
#include "toolchain/compiling_executor.h"

namespace cove {

namespace {

using Made = Result<std::shared_ptr<CodeExecutor>>;

constexpr std::string_view kImagePrefix = "image:";

Made make_container(const ServerConfig& config, const RuntimeCatalog& catalog) {
  ContainerOptions options;
  options.engine = config.container_engine;
  options.image = config.container_image;
  options.runtime = config.container_runtime;
  if (config.container_pool_size > 0) {
    options.pool = {config.container_pool_size, config.pool_languages};
  }
  COVE_ASSIGN(std::shared_ptr<CodeExecutor> made,
              ContainerExecutor::create(catalog, std::move(options)));
  return made;
}

Made make_docker(const ServerConfig& config, const RuntimeCatalog& catalog) {
  COVE_ASSIGN(const DockerHost host, find_docker_host(config.docker_host));
  DockerOptions options = config.container_image.empty()
                              ? DockerOptions::python()
                              : DockerOptions::custom(config.container_image);
  options.runtime = config.container_runtime;
  options.max_concurrent = config.max_concurrent_jobs;
  COVE_ASSIGN(std::shared_ptr<CodeExecutor> made,
              DockerExecutor::create(catalog, std::move(options), host));
  return made;
}

Made make_image(std::string_view name, const ServerConfig& config, const RuntimeCatalog& catalog) {
  NativeOptions options;
  options.isolation = config.isolation;
  options.pool = {config.pool_size, config.pool_languages, false};
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  COVE_ASSIGN(ImageRoot root, store.open_root(name));
  const RuntimeCatalog inside = catalog.with_path({root.command_path, root.path});
  options.image = std::move(root);
  COVE_ASSIGN(std::shared_ptr<CodeExecutor> native,
              NativeExecutor::create(catalog, std::move(options)));
  COVE_ASSIGN(std::shared_ptr<CodeExecutor> made, CompilingExecutor::create(native, inside));
  return made;
}

}  // namespace

BackendMaker served_backends() {
  return [](const std::string& name, const ServerConfig& config,
            const RuntimeCatalog& catalog) -> Made {
    if (name == "local") return std::make_shared<LocalExecutor>(catalog);
    if (name == "container") return make_container(config, catalog);
    if (name == "docker") return make_docker(config, catalog);
    if (name.starts_with(kImagePrefix)) {
      return make_image(std::string_view(name).substr(kImagePrefix.size()), config, catalog);
    }
    return Err(Error::invalid_field("backends", "has no backend " + quoted(name)));
  };
}

}  // namespace cove
