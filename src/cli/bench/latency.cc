#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "cli/bench/bare_process.h"
#include "cli/bench/bench_runner.h"
#include "cli/bench/contender.h"
#include "cli/bench/docker_run.h"
#include "image/image_store.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kPool = 4;

std::function<Result<double>()> bare_sample(std::vector<std::string> argv) {
  return [argv = std::move(argv)]() -> Result<double> {
    COVE_ASSIGN(const BareRun run, run_bare(argv));
    if (run.exit_code != 0) {
      return Err(Error(ErrorCode::ExecutionFailed, fmt::format("{} exited with {}: {}", argv[0],
                                                               run.exit_code, trim(run.output))));
    }
    return run.milliseconds;
  };
}

std::function<Result<double>()> cove_sample(NativeExecutor& executor, std::string language,
                                            std::string_view code, bool warm) {
  SampleSettings settings{std::move(language), code, warm, {}};
  if (warm) {
    settings.refill = [&executor] { (void)executor.wait_until_warm(std::chrono::seconds(5)); };
  }
  return executor_sample(executor, std::move(settings));
}

std::vector<std::string> bwrap_command(const Runtime& python) {
  std::vector<std::string> argv{"bwrap"};
  const auto show = [&](const std::string& path) {
    argv.insert(argv.end(), {"--ro-bind-try", path, path});
  };
  for (const char* path : {"/usr", "/bin", "/lib", "/lib64"}) show(path);
  for (const std::string& path : python.mounts) {
    if (!path.starts_with("/usr") && path != "/" && !path.starts_with("/lib")) show(path);
  }
  argv.insert(argv.end(), {"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--unshare-all",
                           "--die-with-parent", "--clearenv", python.interpreter, "-c",
                           std::string(kBenchProgram)});
  return argv;
}

Contender docker_contender(const BenchSettings& settings) {
  Contender docker{{kRowDocker, "", {}, 0}, {}, settings.quick ? 20UL : 10UL, true};
  const auto target = find_docker_target(settings.docker_image);
  if (!target) {
    docker.row.note = target.error().message();
    return docker;
  }
  docker.row.note = fmt::format(
      "Docker {}, image {}: no network, read-only, no capabilities, limits on memory, CPU and "
      "processes",
      target->version, target->image);
  // A new command each time: a container's name is taken until it is gone.
  docker.sample = [image = target->image] {
    return bare_sample(docker_run_command(image, kBenchProgram))();
  };
  return docker;
}

// A catalog whose `python-numpy` is python with numpy imported ahead.
Result<RuntimeCatalog> with_numpy(RuntimeCatalog catalog) {
  const std::string path =
      (std::filesystem::temp_directory_path() / (random_id("cove-bench-") + ".toml")).string();
  std::ofstream(path) << "extends = \"python\"\nname = \"python-numpy\"\naliases = []\n"
                         "preload = [\"numpy\"]\n";
  auto added = catalog.add_profile_file(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (!added) return Err(std::move(added).error());
  return catalog;
}

void add_numpy_rows(const Installation& installation, const std::string& python,
                    std::unique_ptr<NativeExecutor>& executor, std::vector<Contender>& contenders) {
  const std::size_t bare = contenders.size();
  contenders.push_back({{"python3 -c \"import numpy\"", "", {}, bare},
                        bare_sample({python, "-c", std::string(kNumpyProgram)}),
                        1});
  contenders.push_back({{"Cove warm, numpy preloaded", "", {}, bare}, {}, 1});
  Contender& ours = contenders.back();
  auto catalog = with_numpy(installation.catalog);
  if (!catalog) {
    ours.row.note = catalog.error().message();
    return;
  }
  auto made = make_executor(std::move(*catalog), "python-numpy", kPool);
  if (!made) {
    ours.row.note = made.error().message();
    return;
  }
  executor = std::move(*made);
  ours.row.note = "profile with preload = [\"numpy\"]";
  ours.sample = cove_sample(*executor, "python-numpy", kNumpyProgram, true);
}

// A NativeExecutor each for cold and warm runs in an image; they outlive the samples.
struct ImageExecutors {
  std::unique_ptr<NativeExecutor> cold;
  std::unique_ptr<NativeExecutor> warm;
};

Result<ImageExecutors> make_image_executors(const Installation& installation,
                                            const std::string& image) {
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  ImageExecutors made;
  COVE_ASSIGN(ImageRoot cold_root, store.open_root(image));
  COVE_ASSIGN(ImageRoot warm_root, store.open_root(image));
  COVE_ASSIGN(made.cold, make_executor(installation.catalog, "python", 0, std::move(cold_root)));
  COVE_ASSIGN(made.warm,
              make_executor(installation.catalog, "python", kPool, std::move(warm_root)));
  return made;
}

void add_image_rows(const Installation& installation, const std::string& image,
                    ImageExecutors& executors, std::vector<Contender>& contenders) {
  if (image.empty()) return;
  Contender cold{{kRowImageCold, "", {}, 0}, {}, 1};
  Contender warm{{kRowImageWarm, "", {}, 0}, {}, 1};
  if (auto made = make_image_executors(installation, image)) {
    executors = std::move(*made);
    cold.row.note = fmt::format("in the root file system of image {}, nothing warm", image);
    warm.row.note = fmt::format("in the root file system of image {}, a waiting guest", image);
    cold.sample = cove_sample(*executors.cold, "python", kBenchProgram, false);
    warm.sample = cove_sample(*executors.warm, "python", kBenchProgram, true);
  } else {
    cold.row.note = warm.row.note = made.error().message();
  }
  contenders.push_back(std::move(cold));
  contenders.push_back(std::move(warm));
}

Result<> take_samples(std::vector<Contender>& contenders, std::size_t rounds, const Tell& tell) {
  // One unmeasured round: caches fill, and what does not work drops out with its reason.
  for (Contender& contender : contenders) {
    if (!contender.sample) continue;
    if (const auto tried = contender.sample(); !tried) {
      contender.row.note = tried.error().message();
      contender.sample = {};
    }
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    if (round % 50 == 0) tell(fmt::format("latency: round {} of {}", round, rounds));
    for (Contender& contender : contenders) {
      if (!contender.sample || round % contender.every != 0) continue;
      auto sample = contender.sample();
      if (!sample && contender.may_fail) {
        contender.row.note = fmt::format("failed after {} runs: {}", contender.row.samples.count(),
                                         sample.error().message());
        contender.row.samples = {};
        contender.sample = {};
        continue;
      }
      if (!sample) return Err(std::move(sample).error().with_context(contender.row.name));
      contender.row.samples.add(*sample);
    }
  }
  return {};
}

}  // namespace

std::function<Result<double>()> executor_sample(CodeExecutor& executor, SampleSettings settings) {
  return [&executor, settings = std::move(settings)]() -> Result<double> {
    // What is measured is a hit: the pool gets the time to refill first.
    if (settings.refill) settings.refill();
    ExecutionRequest request;
    request.language = settings.language;
    request.code = std::string(settings.code);
    const auto started = Clock::now();
    COVE_ASSIGN(const ExecutionResult result, executor.execute(request));
    const std::chrono::duration<double, std::milli> took = Clock::now() - started;
    if (!result.is_success()) {
      return Err(Error(ErrorCode::ExecutionFailed, "the program failed: " + result.stderr_data));
    }
    if (result.warm != settings.warm) {
      return Err(Error(ErrorCode::ExecutionFailed,
                       settings.warm ? "a run that should have been warm was cold"
                                     : "a run that should have been cold was warm"));
    }
    return took.count();
  };
}

Result<std::vector<LatencyRow>> measure_latency(const Installation& installation,
                                                const BenchSettings& settings, const Tell& tell) {
  COVE_ASSIGN(const Runtime python, installation.catalog.find("python"));
  COVE_ASSIGN(const auto cold, make_executor(installation.catalog, "python", 0));
  COVE_ASSIGN(const auto warm, make_executor(installation.catalog, "python", kPool));
  std::unique_ptr<NativeExecutor> numpy;
  const std::string program(kBenchProgram);

  std::vector<Contender> contenders;
  contenders.push_back({{kRowBare, python.interpreter + ", no sandbox at all", {}, 0},
                        bare_sample({python.interpreter, "-c", program}),
                        1});
  contenders.push_back(
      {{"bwrap python3 -c", "namespaces and read-only binds; no cgroup, no seccomp", {}, 0},
       bare_sample(bwrap_command(python)),
       1,
       true});
  contenders.push_back(docker_contender(settings));
  std::vector<std::unique_ptr<CodeExecutor>> keep;
  add_container_rows(installation, settings, keep, contenders);
  contenders.push_back(
      {{kRowCommand, "a whole `cove run` process, nothing warm", {}, 0},
       bare_sample({settings.command, "run", "--language", "python", "--code", program}),
       1});
  contenders.push_back({{"Cove cold", "in the library, nothing warm", {}, 0},
                        cove_sample(*cold, "python", kBenchProgram, false),
                        1});
  contenders.push_back({{kRowWarm, "in the library, a waiting guest, used once", {}, 0},
                        cove_sample(*warm, "python", kBenchProgram, true),
                        1});
  ImageExecutors in_image;
  add_image_rows(installation, settings.image, in_image, contenders);
  const auto has_numpy = run_bare({python.interpreter, "-c", std::string(kNumpyProgram)});
  if (has_numpy && has_numpy->exit_code == 0) {
    add_numpy_rows(installation, python.interpreter, numpy, contenders);
  }

  COVE_TRY(take_samples(contenders, settings.samples(), tell));
  std::vector<LatencyRow> rows;
  rows.reserve(contenders.size());
  for (Contender& contender : contenders) rows.push_back(std::move(contender.row));
  return rows;
}

}  // namespace cove
