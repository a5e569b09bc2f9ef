#include "cli/bench_command.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "base/version.h"
#include "cli/bench/bench_report.h"
#include "cli/bench/bench_runner.h"
#include "cli/console.h"
#include "cli/installation.h"
#include "runtime/version_probe.h"

namespace cove {

namespace {

struct BenchOptions {
  std::optional<std::string> json;
  std::optional<std::string> markdown;
  std::optional<std::string> svg;
  std::string docker_image;
  std::string image;
  std::optional<std::size_t> rounds;
  bool quick = false;
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) {
      return std::string(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return "unknown processor";
}

std::string describe_host() {
  utsname name{};
  ::uname(&name);
  return fmt::format("{} {}, {} x {}", name.sysname, name.release,
                     std::thread::hardware_concurrency(), processor_name());
}

Result<> save(const std::optional<std::string>& path, const std::string& content) {
  if (!path) return {};
  std::ofstream file(*path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) return Err(Error::from_errno("writing " + *path));
  return {};
}

// The plot as the page refers to it: relative to the page's own directory.
std::string plot_link(const BenchOptions& options) {
  if (!options.svg || !options.markdown) return "";
  std::error_code problem;
  const auto page = std::filesystem::absolute(*options.markdown, problem).parent_path();
  return std::filesystem::absolute(*options.svg, problem).lexically_relative(page).string();
}

Result<int> bench(const BenchOptions& options) {
  COVE_ASSIGN(const Installation installation, load_installation());
  COVE_ASSIGN(const Runtime python, installation.catalog.find("python"));
  BenchSettings settings;
  settings.quick = options.quick;
  settings.rounds = options.rounds;
  settings.docker_image = options.docker_image;
  settings.image = options.image;
  std::error_code problem;
  settings.command = std::filesystem::read_symlink("/proc/self/exe", problem).string();

  BenchReport report;
  report.host = describe_host();
  report.version = std::string(kVersion);
  const auto version = probe_version(python);
  report.python =
      fmt::format("{} ({})", python.interpreter, version ? *version : "unknown version");

  say("measuring idle memory");
  COVE_ASSIGN(report.memory, measure_idle_memory(installation));
  COVE_ASSIGN(report.rows,
              measure_latency(installation, settings, [](std::string_view text) { say(text); }));
  say("measuring sustained throughput");
  COVE_ASSIGN(report.throughput, measure_throughput(installation, settings));
  say("measuring concurrent callers");
  COVE_ASSIGN(report.concurrency, measure_concurrency(installation, settings));
  COVE_ASSIGN(report.compiled,
              measure_compiled(installation, settings, [](std::string_view text) { say(text); }));
  report.verdicts = judge(report);

  (void)write_fully(STDOUT_FILENO, as_text(report));
  COVE_TRY(save(options.json, as_json_text(report)));
  COVE_TRY(save(options.markdown, as_markdown(report, plot_link(options))));
  COVE_TRY(save(options.svg, as_svg(report)));
  return report.pass() ? 0 : 1;
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  CLI::App* const command =
      app.add_subcommand("bench", "Measure what isolation costs on this host");
  const auto options = std::make_shared<BenchOptions>();
  command->add_option("--json", options->json, "Write the figures to FILE");
  command->add_option("--markdown", options->markdown, "Write a page with tables to FILE");
  command->add_option("--svg", options->svg, "Write a plot to FILE");
  command->add_option("--docker-image", options->docker_image,
                      "Image with python3 for the docker row (cove-test/python, else python)");
  command->add_option("--image", options->image,
                      "Stored image with python3 for the image root rows (cove image import)");
  command
      ->add_option(
          "--rounds", options->rounds,
          "How often each row is measured (300; --quick: 40); docker each 10th or 20th time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}));
  command->add_flag("--quick", options->quick, "Fewer samples");
  command->callback([options, &exit_code] {
    const auto done = bench(*options);
    exit_code = done ? *done : report_error(done.error(), false);
  });
}

}  // namespace cove
