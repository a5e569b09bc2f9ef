#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/fill_text.h"
#include "base/strings.h"
#include "cli/bench/bare_process.h"
#include "cli/bench/bench_runner.h"
#include "runtime/version_probe.h"
#include "toolchain/compiler.h"
#include "toolchain/compiling_executor.h"
#include "toolchain/program.h"

namespace cove {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kFirstRounds = 5;

const std::vector<std::pair<std::string, std::string>> kPrograms{
    {"rust", "fn main() {\n    println!(\"1\");\n}\n"},
    {"cpp", "#include <iostream>\nint main() { std::cout << 1 << '\\n'; }\n"},
    {"go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"}};

// A directory that goes with this object.
class Scratch {
 public:
  Scratch() : path_((fs::temp_directory_path() / "cove-bench-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ExecutionRequest request_of(const std::string& language, const std::string& code) {
  ExecutionRequest request;
  request.language = language;
  request.code = code;
  return request;
}

Result<double> timed(CodeExecutor& executor, const ExecutionRequest& request,
                     const ExecutionContext& context, std::optional<bool> cached) {
  const auto started = Clock::now();
  COVE_ASSIGN(const ExecutionResult result, executor.execute(request, context));
  const std::chrono::duration<double, std::milli> took = Clock::now() - started;
  if (!result.is_success()) {
    return Err(Error(ErrorCode::ExecutionFailed, "the program failed: " + result.stderr_data));
  }
  if (cached && (!result.compile || result.compile->cached != *cached)) {
    return Err(Error(ErrorCode::ExecutionFailed,
                     *cached ? "a build that was kept was not found" : "a new program was kept"));
  }
  return took.count();
}

Result<double> bare(const std::vector<std::string>& argv) {
  COVE_ASSIGN(const BareRun run, run_bare(argv));
  if (run.exit_code == 0) return run.milliseconds;
  return Err(Error(ErrorCode::ExecutionFailed, fmt::format("{} exited with {}: {}", argv.back(),
                                                           run.exit_code, trim(run.output))));
}

// What a user would type in the directory of the program, with the options that Cove gives.
Result<std::vector<std::string>> by_hand(const Runtime& runtime, const ExecutionRequest& request,
                                         const std::string& directory) {
  COVE_ASSIGN(const Program program, make_program(request, *runtime.profile.compile));
  std::error_code error;
  fs::create_directories(directory + "/" + std::string(kOutDirectory), error);
  std::ofstream(directory + "/" + program.entry) << request.code;
  const Runtime step = first_step(with_optional_tools(runtime, "namespaces"), program);
  std::vector<std::string> argv{"/usr/bin/env", "-C", directory};
  for (const auto& [name, value] : step.profile.env) {
    argv.push_back(
        fmt::format("{}={}", name, value == "{prepared}" ? directory + "/prepared" : value));
  }
  argv.push_back(step.interpreter);
  for (const std::string& arg : step.profile.run_args) argv.push_back(fill_text(arg, {}));
  return argv;
}

// The sandbox that each run is compared with: around /bin/true.
Result<Runtime> true_runtime(const RuntimeCatalog& catalog) {
  COVE_ASSIGN(Runtime runtime, catalog.find("sh"));
  runtime.interpreter = "/bin/true";
  runtime.profile.run_args.clear();
  return runtime;
}

// A program that only this round has.
std::string program_of(const std::string& code, std::size_t round) {
  return fmt::format("{}// {}\n", code, round);
}

Result<> measure_first(CompilingExecutor& executor, const Runtime& runtime, const std::string& code,
                       const std::string& directory, CompiledRow& row) {
  for (std::size_t round = 0; round <= kFirstRounds; ++round) {
    const auto request = request_of(row.language, program_of(code, round));
    COVE_ASSIGN(const auto compile, by_hand(runtime, request, directory));
    COVE_ASSIGN(const double compiled, bare(compile));
    COVE_ASSIGN(const double ran, bare({directory + "/cove-build/main"}));
    COVE_ASSIGN(const double ours, timed(executor, request, {}, false));
    if (round == 0) continue;  // caches fill, and what is prepared is prepared
    row.first_bare.add(compiled + ran);
    row.first.add(ours);
  }
  return {};
}

}  // namespace

Result<CompiledReport> measure_compiled(const Installation& installation,
                                        const BenchSettings& settings, const Tell& tell) {
  const Scratch scratch;
  if (scratch.path().empty()) return Err(Error::from_errno("cannot make a temporary directory"));
  COVE_ASSIGN(std::shared_ptr<NativeExecutor> native, make_executor(installation.catalog, "sh", 0));
  COVE_ASSIGN(const auto executor,
              CompilingExecutor::create(native, installation.catalog, scratch.path() + "/cache"));
  CompiledReport report;
  for (const auto& [language, code] : kPrograms) {
    CompiledRow row{language, {}, {}, {}, {}, {}};
    tell("compiled programs: " + language);
    const auto runtime = installation.catalog.find(language);
    if (!runtime) {
      row.note = runtime.error().message();
    } else {
      row.note = probe_version(*runtime).value_or(runtime->interpreter);
      COVE_TRY(measure_first(*executor, *runtime, code, scratch.path() + "/" + language, row));
    }
    report.rows.push_back(std::move(row));
  }
  COVE_ASSIGN(const Runtime nothing, true_runtime(installation.catalog));
  ExecutionContext only_true;
  only_true.runtime = &nothing;
  const auto empty = request_of("sh", "");
  for (std::size_t round = 0; round < settings.samples(); ++round) {
    COVE_ASSIGN(const double cold, timed(*native, empty, only_true, std::nullopt));
    report.cold_true.add(cold);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      CompiledRow& row = report.rows[i];
      if (row.first.empty()) continue;
      // The last program of measure_first, whose build is kept.
      const auto request = request_of(row.language, program_of(kPrograms[i].second, kFirstRounds));
      COVE_ASSIGN(const double hand,
                  bare({fmt::format("{}/{}/cove-build/main", scratch.path(), row.language)}));
      COVE_ASSIGN(const double ours, timed(*executor, request, {}, true));
      row.repeat_bare.add(hand);
      row.repeat.add(ours);
    }
  }
  return report;
}

}  // namespace cove
