#include "toolchain/compiling_executor.h"

#include <utility>

#include <fmt/format.h>

#include "base/random_id.h"
#include "model/diagnostic_text.h"
#include "policy/validate.h"
#include "toolchain/cache_directory.h"
#include "toolchain/compiler.h"
#include "toolchain/harness.h"
#include "toolchain/program.h"

namespace cove {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<microseconds>(Clock::now() - start);
}

// What was built, and how that went.
struct Built {
  std::optional<Build> build;  // absent: `failure`
  CompileReport report;
  std::vector<Diagnostic> diagnostics;
  std::optional<ExecutionResult> failure;
  std::vector<std::string> notes;
};

Result<Built> compile_anew(const Compiler& compiler, const Program& program, const Runtime& runtime,
                           BuildCache& cache, const std::stop_token& cancel) {
  std::string prepared;
  Built built;
  if (!runtime.profile.compile->prepare.empty()) {
    const auto started = Clock::now();
    bool made = false;
    COVE_ASSIGN(prepared, cache.prepare(
                              prepare_key(runtime),
                              [&](const std::string& directory) {
                                made = true;
                                return compiler.prepare(directory);
                              },
                              cancel));
    if (made) {
      built.report.steps.push_back({"prepare", since(started)});
      built.notes.push_back(fmt::format("{} was prepared, which happens once: it took {:.1f} s",
                                        runtime.profile.name,
                                        std::chrono::duration<double>(since(started)).count()));
    }
  }
  COVE_ASSIGN(Compilation compilation, compiler.compile(program, prepared));
  built.report.steps.insert(built.report.steps.end(), compilation.report.steps.begin(),
                            compilation.report.steps.end());
  built.report.output = std::move(compilation.report.output);
  built.report.output_truncated = compilation.report.output_truncated;
  built.diagnostics = compilation.output.diagnostics;
  built.failure = std::move(compilation.failure);
  if (built.failure) return built;
  COVE_ASSIGN(built.build, cache.store(build_key(program, runtime), compilation.output));
  return built;
}

// The program that was built, in place of an interpreter.
Runtime program_runtime(const Runtime& runtime, const Program& program, const Build& build) {
  Runtime out = runtime;
  std::vector<std::string> command = runtime.profile.compile->run;
  for (std::string& word : command) {
    if (word == "{class}") word = program.main_class;
  }
  out.interpreter = command.front();
  out.profile.run_args.assign(command.begin() + 1, command.end());
  // A harness learns from the program's path where its input is.
  out.profile.harness_args = out.profile.run_args;
  out.profile.harness_args.emplace_back("{program}");
  out.build_dir = build.directory;
  return out;
}

void add_report(ExecutionResult& result, Built built) {
  result.compile = std::move(built.report);
  result.notes.insert(result.notes.begin(), built.notes.begin(), built.notes.end());
  result.diagnostics = std::move(built.diagnostics);
  if (!result.diagnostics.empty()) {
    result.diagnostics_text = render_diagnostics(result.diagnostics, DiagnosticStyle::Short);
  }
}

ExecutionResult failed_result(Built built, const ExecutionRequest& request, OutputSink* sink) {
  ExecutionResult result = *std::move(built.failure);
  result.execution_id = request.execution_id.empty() ? random_id("exec_") : request.execution_id;
  if (sink != nullptr && !sink->on_diagnostics(built.diagnostics)) {
    sink->on_stderr(result.stderr_data);
  }
  add_report(result, std::move(built));
  return result;
}

}  // namespace

Result<std::unique_ptr<CompilingExecutor>> CompilingExecutor::create(
    std::shared_ptr<CodeExecutor> inner, RuntimeCatalog catalog,
    const std::string& cache_directory) {
  if (!inner->takes_runtime()) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("backend \"{}\" cannot run compilers", inner->name())));
  }
  std::string cache = cache_directory.empty() ? default_cache_directory() : cache_directory;
  return std::unique_ptr<CompilingExecutor>(
      new CompilingExecutor(std::move(inner), std::move(catalog), std::move(cache)));
}

const LanguageProfile* CompilingExecutor::compiled(std::string_view language) const {
  const LanguageProfile* const profile = catalog_.find_profile(language);
  return profile != nullptr && profile->compile ? profile : nullptr;
}

Result<std::optional<Runtime>> CompilingExecutor::compiler_of(
    const ExecutionRequest& request) const {
  if (compiled(request.language) == nullptr) return std::nullopt;
  COVE_ASSIGN(const Runtime runtime, catalog_.find(request.language));
  COVE_ASSIGN(const Program program, make_program(request, *runtime.profile.compile));
  return first_step(runtime, program);
}

bool CompilingExecutor::supports_language(std::string_view language) const {
  if (compiled(language) == nullptr) return inner_->supports_language(language);
  return catalog_.find(language).has_value();
}

Result<BuildCache*> CompilingExecutor::cache() {
  const std::scoped_lock lock(mutex_);
  if (!cache_) {
    COVE_ASSIGN(cache_, BuildCache::open(cache_path_));
  }
  return cache_.get();
}

Result<std::string> CompilingExecutor::cache_directory() {
  COVE_ASSIGN(BuildCache* const opened, cache());
  return opened->directory();
}

Result<ExecutionResult> CompilingExecutor::execute(const ExecutionRequest& request,
                                                   const ExecutionContext& context) {
  const auto started = Clock::now();
  if (context.runtime != nullptr || compiled(request.language) == nullptr) {
    return inner_->execute(request, context);
  }
  COVE_TRY(validate_request(request, inner_->capabilities()));
  COVE_ASSIGN(Runtime runtime, catalog_.find(request.language));
  COVE_ASSIGN(Program program, make_program(request, *runtime.profile.compile));
  if (request.input) COVE_TRY(put_in_harness(program, runtime));
  COVE_ASSIGN(BuildCache* const builds, cache());
  Built built;
  built.build = builds->find(build_key(program, runtime));
  if (built.build) {
    built.report.cached = true;
    built.report.output = built.build->compiler_output;
    built.diagnostics = std::move(built.build->diagnostics);
  } else {
    const Compiler compiler(*inner_, runtime, context.cancel);
    COVE_ASSIGN(built, compile_anew(compiler, program, runtime, *builds, context.cancel));
  }
  if (built.failure) {
    auto result = failed_result(std::move(built), request, context.sink);
    result.duration = result.usage.wall = since(started);
    return result;
  }
  if (context.sink != nullptr && !built.diagnostics.empty()) {
    (void)context.sink->on_diagnostics(built.diagnostics);
  }
  const Runtime run = program_runtime(runtime, program, *built.build);
  ExecutionRequest run_request = request;
  run_request.code.clear();
  run_request.entry.clear();
  ExecutionContext run_context = context;
  run_context.runtime = &run;
  const auto compiled_in = since(started);
  COVE_ASSIGN(ExecutionResult result, inner_->execute(run_request, run_context));
  built.report.steps.push_back({"run", result.duration});
  result.setup += compiled_in;
  result.duration += compiled_in;
  result.usage.wall = result.duration;
  add_report(result, std::move(built));
  return result;
}

}  // namespace cove
