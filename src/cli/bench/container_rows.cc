#include <utility>

#include <fmt/format.h>

#include "cli/bench/contender.h"
#include "cli/bench/docker_run.h"
#include "cli/bench/sampling_process.h"
#include "cli/net_commands.h"
#include "executor/container/container_executor.h"

namespace cove {

namespace {

constexpr std::size_t kWaitingContainers = 2;

struct ContainerRow {
  const char* name;
  const char* note;
  std::size_t pool;
};

Contender container_contender(const ContainerRow& wanted, const Installation& installation,
                              const BenchSettings& settings,
                              std::vector<std::unique_ptr<CodeExecutor>>& keep) {
  Contender contender{{wanted.name, "", {}, 0}, {}, settings.quick ? 20UL : 10UL, true};
  const auto target = find_docker_target(settings.docker_image);
  if (!target) {
    contender.row.note = target.error().message();
    return contender;
  }
  ContainerOptions options;
  options.engine = "docker";
  options.image = target->image;
  options.pool.size = wanted.pool;
  if (wanted.pool > 0) options.pool.languages = {"python"};
  auto made = ContainerExecutor::create(installation.catalog, std::move(options));
  auto ready = made ? (*made)->start() : Result<>{};
  if (!made || !ready) {
    contender.row.note = !made ? made.error().message() : ready.error().message();
    return contender;
  }
  ContainerExecutor& executor = **made;
  keep.push_back(std::move(*made));
  contender.row.note =
      fmt::format("Docker {}, image {}: {}", target->version, target->image, wanted.note);
  SampleSettings sample;
  sample.warm = wanted.pool > 0;
  sample.refill = [&executor] { (void)executor.wait_until_warm(std::chrono::seconds(60)); };
  contender.sample = executor_sample(executor, std::move(sample));
  return contender;
}

// The executor is in cove-net, which brings OpenSSL along, and so it is measured there.
Contender docker_persistent(const BenchSettings& settings) {
  Contender contender{{kRowDockerPersistent, "", {}, 0}, {}, settings.quick ? 20UL : 10UL, true};
  const auto start = [&]() -> Result<> {
    COVE_ASSIGN(const DockerTarget target, find_docker_target(settings.docker_image));
    COVE_ASSIGN(const std::string net, find_net_command());
    COVE_ASSIGN(std::shared_ptr<SamplingProcess> process,
                SamplingProcess::start({net, "bench-docker", "--image", target.image}));
    contender.row.note = fmt::format("Docker {}, image {}: one container for all runs, Engine API",
                                     target.version, target.image);
    contender.sample = [process] { return process->sample(); };
    return {};
  };
  if (const auto started = start(); !started) contender.row.note = started.error().message();
  return contender;
}

}  // namespace

void add_container_rows(const Installation& installation, const BenchSettings& settings,
                        std::vector<std::unique_ptr<CodeExecutor>>& keep,
                        std::vector<Contender>& contenders) {
  for (const ContainerRow& row :
       {ContainerRow{kRowContainer, "a container for each run, in the library", 0},
        ContainerRow{kRowContainerPooled, "a waiting container, used once, in the library",
                     kWaitingContainers}}) {
    contenders.push_back(container_contender(row, installation, settings, keep));
  }
  contenders.push_back(docker_persistent(settings));
}

}  // namespace cove
