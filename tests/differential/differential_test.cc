// Runs each program three ways, with bare python, in a cold guest and in a warm one, and expects
// the same output, the same end and the same files, byte for byte.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/data_dir.h"
#include "differential/bare_python.h"
#include "differential/observation.h"
#include "differential/program.h"
#include "executor/native/native_executor.h"
#include "runtime/runtime_catalog.h"

namespace cove::differential {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr unsigned kWorkers = 2;

const fs::path& programs_dir() {
  static const fs::path path = fs::path(COVE_SUITE_DIR) / "programs";
  return path;
}

std::vector<std::string> groups() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(programs_dir())) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<Program> load_group(const std::string& group) {
  // COVE_DIFFERENTIAL_ONLY=exit/del_in_globals runs one program.
  const char* only = std::getenv("COVE_DIFFERENTIAL_ONLY");
  std::vector<Program> programs;
  for (const auto& entry : fs::directory_iterator(programs_dir() / group)) {
    if (entry.path().extension() != ".py") continue;
    auto program = load_program(entry.path(), group);
    if (!program) {
      ADD_FAILURE() << program.error().message();
    } else if (only == nullptr || program->name.find(only) != std::string::npos) {
      programs.push_back(std::move(*program));
    }
  }
  std::ranges::sort(programs, {}, &Program::name);
  return programs;
}

ExecutionRequest request_for(const Program& program) {
  ExecutionRequest request;
  request.code = program.code;
  request.args = program.args;
  request.stdin_data = program.stdin_data;
  request.env = program.env;
  request.files = program.files;
  request.timeout = seconds(30);
  request.limits.stdout_bytes = Bytes::mib(16);
  request.limits.stderr_bytes = Bytes::mib(16);
  request.collect_file_contents = true;
  return request;
}

Observation observe(const ExecutionResult& result) {
  Observation seen;
  if (result.exit_code) {
    seen.end = "exit " + std::to_string(*result.exit_code);
  } else if (result.signal) {
    seen.end = "signal " + *result.signal;
  } else {
    seen.end = "status " + std::to_string(static_cast<int>(result.status));
  }
  seen.out = result.stdout_data;
  seen.err = result.stderr_data;
  for (const auto& file : result.output_files) seen.files[file.name] = file.content.value_or("");
  return seen;
}

class Differential : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    ::signal(SIGPIPE, SIG_IGN);  // a program that does not read its stdin
    const auto data = data_dir();
    ASSERT_TRUE(data) << data.error().message();
    const auto catalog = RuntimeCatalog::load(*data + "/profiles");
    ASSERT_TRUE(catalog) << catalog.error().message();
    const auto found = catalog->find("python");
    ASSERT_TRUE(found) << found.error().message();
    python = found->profile;
    auto without_pool = NativeExecutor::create(*catalog);
    ASSERT_TRUE(without_pool) << without_pool.error().message();
    NativeOptions options;
    options.pool.size = 3;
    options.pool.languages = {"python"};
    auto with_pool = NativeExecutor::create(*catalog, options);
    ASSERT_TRUE(with_pool) << with_pool.error().message();
    const auto started = (*with_pool)->start();
    ASSERT_TRUE(started) << started.error().message();
    cold = std::move(*without_pool);
    warm = std::move(*with_pool);
  }
  static void TearDownTestSuite() {
    cold.reset();
    warm.reset();
  }

  static Result<Observation> run_cold(const Program& program) {
    COVE_ASSIGN(const auto result, cold->execute(request_for(program)));
    return observe(result);
  }

  static Result<Observation> run_warm(const Program& program) {
    COVE_ASSIGN(auto result, warm->execute(request_for(program)));
    for (int attempt = 0; !result.warm && attempt < 3; ++attempt) {
      warm->wait_until_warm(seconds(10));
      COVE_ASSIGN(result, warm->execute(request_for(program)));
    }
    if (!result.warm) return Err(Error(ErrorCode::Internal, "was not served by a warm guest"));
    return observe(result);
  }

  static void mask(const Program& program, Observation& seen) {
    seen.out = program.masked(std::move(seen.out));
    seen.err = program.masked(std::move(seen.err));
  }

  using Way = Result<Observation> (*)(const Program&);

  static void compare(const Program& program, const Observation& expected, const char* name,
                      Way way, std::string& report) {
    auto seen = way(program);
    if (!seen) {
      report += fmt::format("  {}: {}\n", name, seen.error().message());
      return;
    }
    mask(program, *seen);
    const auto lines = difference(expected, *seen);
    if (!lines.empty()) report += fmt::format("  {} is not as expected:\n{}", name, lines);
  }

  // What is wrong with a program; empty: nothing.
  static std::string check(const Program& program) {
    auto first = program.guests_only ? run_cold(program) : run_bare(program, python);
    if (!first) return "  " + first.error().message() + "\n";
    mask(program, *first);
    std::string report;
    if (!program.guests_only) compare(program, *first, "cold", run_cold, report);
    if (!program.cold_only) compare(program, *first, "warm", run_warm, report);
    return report;
  }

  static LanguageProfile python;
  static std::unique_ptr<NativeExecutor> cold;
  static std::unique_ptr<NativeExecutor> warm;
};

LanguageProfile Differential::python;
std::unique_ptr<NativeExecutor> Differential::cold;
std::unique_ptr<NativeExecutor> Differential::warm;

TEST_P(Differential, BareColdAndWarmAreTheSame) {
  const auto programs = load_group(GetParam());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  {
    std::vector<std::jthread> workers;
    workers.reserve(kWorkers);
    for (unsigned i = 0; i < kWorkers; ++i) {
      workers.emplace_back([&] {
        for (std::size_t at = next++; at < programs.size(); at = next++) {
          const auto report = check(programs[at]);
          const std::lock_guard lock(mutex);
          if (!report.empty()) ADD_FAILURE() << programs[at].name << ".py\n" << report;
        }
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Differential, ::testing::ValuesIn(groups()),
                         [](const auto& group) { return group.param; });

TEST(DifferentialPrograms, AreAtLeastTwoHundred) {
  std::size_t count = 0;
  for (const auto& group : groups()) {
    for (const auto& entry : fs::directory_iterator(programs_dir() / group)) {
      count += entry.path().extension() == ".py" ? 1 : 0;
    }
  }
  EXPECT_GE(count, 200U);
}

}  // namespace
}  // namespace cove::differential
