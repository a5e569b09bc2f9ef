#include "net/bench_serve_command.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/version.h"
#include "cli/console.h"
#include "cli/installation.h"
#include "executor/native/native_executor.h"
#include "http/server_url.h"
#include "net/bench_serve_report.h"

namespace cove {

namespace {

constexpr int kTurns = 5;
// Between two executions where each is to be measured by itself: long enough for the next guest to
// wait and for the last one to be gone.
constexpr std::chrono::milliseconds kRest{10};
constexpr const char* kProgram = "print(6 * 7)";
constexpr const char* kBody = "{\"language\":\"python\",\"code\":\"print(6 * 7)\"}";
constexpr const char* kExpected = "\"stdout\":\"42\\n\"";

struct BenchServeOptions {
  std::string server;
  std::string alternative;
  int server_pid = 0;
  std::vector<unsigned> connections{8, 64, 256};
  std::string duration = "5s";
  std::size_t library_runs = 1'000;
  std::optional<std::string> markdown;
};

std::string describe_host() {
  utsname name{};
  ::uname(&name);
  return fmt::format("{} {}, {} processors", name.sysname, name.release,
                     std::thread::hardware_concurrency());
}

std::uint64_t resident_bytes(int pid) {
  if (pid == 0) return 0;
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The program through the library, with a pool as large as the server's.
class Library {
 public:
  static Result<Library> start() {
    COVE_ASSIGN(Installation installation, load_installation("python"));
    NativeOptions options;
    options.pool.size = 4;
    options.pool.languages = {"python"};
    Library out;
    COVE_ASSIGN(out.executor_, NativeExecutor::create(std::move(installation.catalog), options));
    COVE_TRY(out.executor_->start());
    COVE_TRY(out.run(50, std::chrono::milliseconds(0)));
    out.samples_ = Samples();
    return out;
  }

  // One after the other, as a single connection asks. Ends at rest.
  Result<> run(std::size_t count, std::chrono::milliseconds pause) {
    (void)executor_->wait_until_warm(std::chrono::seconds(20));
    ExecutionRequest request;
    request.code = kProgram;
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      COVE_ASSIGN(const ExecutionResult result, executor_->execute(request));
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - begin;
      if (result.stdout_data != "42\n") {
        return Err(
            Error(ErrorCode::ExecutionFailed, "the program said " + result.combined_output()));
      }
      samples_.add(took.count());
      std::this_thread::sleep_for(pause);
    }
    (void)executor_->wait_until_warm(std::chrono::seconds(20));
    return {};
  }
  Samples take_samples() { return std::move(samples_); }

 private:
  std::unique_ptr<NativeExecutor> executor_;
  Samples samples_;
};

Result<LoadOutcome> load(const std::string& address, unsigned connections,
                         std::chrono::milliseconds duration, std::chrono::milliseconds pause = {}) {
  COVE_ASSIGN(const ServerUrl url, parse_server_url(address));
  if (url.is_unix() || url.tls) {
    return Err(Error(ErrorCode::InvalidRequest, "only http://ADDRESS:PORT can be measured"));
  }
  LoadPlan plan;
  plan.host = url.host;
  plan.port = url.port;
  plan.body = kBody;
  plan.expected = kExpected;
  plan.connections = connections;
  plan.duration = duration;
  plan.pause = pause;
  COVE_ASSIGN(LoadOutcome outcome, drive_load(plan));
  if (!outcome.first_wrong.empty()) say("a wrong answer: " + outcome.first_wrong);
  return outcome;
}

Result<int> bench_serve(const BenchServeOptions& options) {
  COVE_ASSIGN(const auto duration, parse_duration(options.duration));
  ServeReport report;
  report.version = std::string(kVersion);
  report.host = describe_host();
  say("measuring the library and 1 connection");
  ServeRow alone;
  alone.connections = 1;
  // In turns, so that both see the same machine.
  for (const auto pause : {kRest, std::chrono::milliseconds(0)}) {
    COVE_ASSIGN(Library library, Library::start());
    LoadOutcome server;
    for (int i = 0; i < kTurns; ++i) {
      COVE_TRY(library.run(options.library_runs / kTurns, pause));
      COVE_ASSIGN(const LoadOutcome part, load(options.server, 1, duration / kTurns, pause));
      server.add(part);
    }
    if (pause == kRest) {
      report.library_at_rest = library.take_samples();
      report.server_at_rest = std::move(server);
    } else {
      report.library = library.take_samples();
      alone.server = std::move(server);
    }
  }
  alone.memory_after = resident_bytes(options.server_pid);
  if (!options.alternative.empty()) {
    COVE_ASSIGN(alone.alternative, load(options.alternative, 1, duration));
  }
  report.rows.push_back(std::move(alone));
  for (const unsigned connections : options.connections) {
    say(fmt::format("measuring {} connections", connections));
    ServeRow row;
    row.connections = connections;
    COVE_ASSIGN(row.server, load(options.server, connections, duration));
    row.memory_after = resident_bytes(options.server_pid);
    if (!options.alternative.empty()) {
      COVE_ASSIGN(row.alternative, load(options.alternative, connections, duration));
    }
    report.rows.push_back(std::move(row));
  }
  (void)write_fully(STDOUT_FILENO, as_text(report));
  if (options.markdown) {
    std::ofstream file(*options.markdown, std::ios::binary | std::ios::trunc);
    file << as_markdown(report);
    file.close();
    if (!file) return Err(Error::from_errno("writing " + *options.markdown));
  }
  bool pass = true;
  for (const ServeVerdict& verdict : judge(report)) pass = pass && verdict.pass;
  return pass ? 0 : 1;
}

}  // namespace

void add_bench_serve_command(CLI::App& app, int& exit_code) {
  CLI::App* const command =
      app.add_subcommand("bench-serve", "Measure a server under load (see make bench-serve)");
  const auto options = std::make_shared<BenchServeOptions>();
  command->add_option("--server", options->server, "http://ADDRESS:PORT")->required();
  command->add_option("--alternative", options->alternative, "Another server, for the same load");
  command->add_option("--server-pid", options->server_pid, "Watch this process's memory");
  command->add_option("--connections", options->connections, "How many at once, besides 1")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--duration", options->duration, "Of each measurement")
      ->capture_default_str();
  command->add_option("--library-runs", options->library_runs, "Executions through the library")
      ->check(CLI::Range(50, 1'000'000))
      ->capture_default_str();
  command->add_option("--markdown", options->markdown, "Write a page to FILE");
  command->callback([options, &exit_code] {
    const auto done = bench_serve(*options);
    exit_code = done ? *done : report_error(done.error(), false);
  });
}

}  // namespace cove
