#include "toolchain/compiling_executor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "executor/refuse_compiled.h"
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

void add_report(ExecutionResult& result, Built built) {
  result.compile = std::move(built.report);
  result.notes.insert(result.notes.begin(), built.notes.begin(), built.notes.end());
  result.diagnostics = std::move(built.diagnostics);
  if (!result.diagnostics.empty()) {
    result.diagnostics_text = render_diagnostics(result.diagnostics, DiagnosticStyle::Short);
  }
}

ExecutionResult failed_result(Built built, const ExecutionRequest& request, OutputSink* sink,
                              Clock::time_point started) {
  ExecutionResult result = *std::move(built.failure);
  result.execution_id = request.execution_id.empty() ? random_id("exec_") : request.execution_id;
  if (sink != nullptr && !sink->on_diagnostics(built.diagnostics)) {
    sink->on_stderr(result.stderr_data);
  }
  add_report(result, std::move(built));
  result.duration = result.usage.wall = since(started);
  return result;
}

// Runs what is ready to run; what came before counts as its set-up.
Result<ExecutionResult> run_built(CodeExecutor& executor, Built built,
                                  const ExecutionRequest& request, const ExecutionContext& context,
                                  Clock::time_point started) {
  if (context.sink != nullptr && !built.diagnostics.empty()) {
    (void)context.sink->on_diagnostics(built.diagnostics);
  }
  const auto compiled_in = since(started);
  COVE_ASSIGN(ExecutionResult result, executor.execute(request, context));
  built.report.steps.push_back(
      {"run", result.duration, result.usage.cpu, result.usage.peak_memory});
  if (result.setup) *result.setup += compiled_in;
  result.duration += compiled_in;
  add_report(result, std::move(built));
  return result;
}

std::string unchecked_note(const CheckProfile& check) {
  return fmt::format("the program was not checked before it ran: {} is not here. To get it: {}",
                     join(check.choice.needs, ", "), check.install);
}

// What the program is called while it is checked. In a file of declarations a checker would pass
// over the code.
std::string checked_name(const ExecutionRequest& request, const Runtime& checker) {
  const bool is_usable = !request.entry.empty() && !request.entry.ends_with(".d.ts");
  return is_usable ? request.entry : checker.profile.compile->entry;
}

// `name`, or one like it that is not among the files.
std::string free_name(const std::vector<ExecFile>& files, const std::string& name) {
  const bool is_taken = std::ranges::find(files, name, &ExecFile::name) != files.end();
  return is_taken ? free_name(files, fmt::format("_{}", name)) : name;
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
  std::unique_ptr<CompilingExecutor> made(
      new CompilingExecutor(std::move(inner), std::move(catalog), std::move(cache)));
  made->is_default_ = cache_directory.empty();
  return made;
}

const LanguageProfile* CompilingExecutor::compiled(std::string_view language) const {
  const LanguageProfile* const profile = catalog_.find_profile(language);
  return profile != nullptr && profile->compile ? profile : nullptr;
}

Result<std::optional<CompilePlan>> CompilingExecutor::plan(const ExecutionRequest& request) const {
  if (compiled(request.language) == nullptr) return std::nullopt;
  const std::string isolation = inner_->capabilities().isolation;
  COVE_ASSIGN(Runtime found, catalog_.find(request.language));
  Runtime runtime = with_optional_tools(std::move(found), isolation);
  COVE_ASSIGN(Program program, make_program(request, *runtime.profile.compile));
  if (request.input) COVE_TRY(put_in_harness(program, runtime));
  const std::string key = build_key(program, runtime, isolation);
  CompilePlan out;
  out.compiler = first_step(runtime, program);
  if (!runtime.profile.compile->prepare.empty()) {
    out.compiler.prepared_dir =
        BuildCache::prepared_at(cache_path_, prepare_key(program, runtime, isolation));
  }
  out.program = program_runtime(runtime, program, BuildCache::files_of(cache_path_, key));
  out.step_timeout = runtime.profile.compile->timeout;
  return out;
}

bool CompilingExecutor::supports_language(std::string_view language) const {
  if (compiled(language) == nullptr) return inner_->supports_language(language);
  return catalog_.find(language).has_value();
}

Result<BuildCache*> CompilingExecutor::cache() {
  const std::scoped_lock lock(mutex_);
  if (!cache_) {
    COVE_ASSIGN(cache_, BuildCache::open(cache_path_));
    if (!cache_->problem().empty()) {
      cache_problem_ = fmt::format("builds are not kept: {}", cache_->problem());
    } else if (std::string wrong = cache_variable_problem(); is_default_ && !wrong.empty()) {
      cache_problem_ = fmt::format("builds are kept in {}: {}", cache_->directory(), wrong);
    }
  }
  return cache_.get();
}

void CompilingExecutor::say_cache_problem(ExecutionResult& result) {
  const std::scoped_lock lock(mutex_);
  if (cache_problem_.empty()) return;
  result.notes.push_back(std::exchange(cache_problem_, {}));
}

Result<std::string> CompilingExecutor::cache_directory() {
  COVE_ASSIGN(BuildCache* const opened, cache());
  return opened->directory();
}

Result<ExecutionResult> CompilingExecutor::execute(const ExecutionRequest& request,
                                                   const ExecutionContext& context) {
  auto result = execute_compiled(request, context);
  if (result) say_cache_problem(*result);
  return result;
}

Result<ExecutionResult> CompilingExecutor::execute_compiled(const ExecutionRequest& request,
                                                            const ExecutionContext& context) {
  const auto started = Clock::now();
  const LanguageProfile* const profile = catalog_.find_profile(request.language);
  if (context.runtime != nullptr || profile == nullptr || !(profile->compile || profile->check)) {
    return inner_->execute(request, context);
  }
  if (profile->check) return execute_checked(*profile, request, context);
  COVE_TRY(validate_request(request, inner_->capabilities()));
  COVE_ASSIGN(Runtime found, catalog_.find(request.language));
  Runtime runtime = with_optional_tools(std::move(found), inner_->capabilities().isolation);
  COVE_ASSIGN(Program program, make_program(request, *runtime.profile.compile));
  if (request.input) COVE_TRY(put_in_harness(program, runtime));
  COVE_ASSIGN(BuildCache* const builds, cache());
  COVE_ASSIGN(Built built,
              builder_.build({program, runtime, request.compile_timeout, context}, *builds));
  if (built.failure) return failed_result(std::move(built), request, context.sink, started);
  const Runtime run = program_runtime(runtime, program, built.build->directory);
  ExecutionRequest run_request = request;
  run_request.code.clear();
  run_request.entry.clear();
  ExecutionContext run_context = context;
  run_context.runtime = &run;
  return run_built(*inner_, std::move(built), run_request, run_context, started);
}

Result<ExecutionResult> CompilingExecutor::execute_checked(const LanguageProfile& profile,
                                                           const ExecutionRequest& request,
                                                           const ExecutionContext& context) {
  const auto started = Clock::now();
  const auto checker = catalog_.find_check(profile);
  // What cannot run anyway is told why by who would have run it.
  if (!checker || !inner_->supports_language(profile.name)) {
    COVE_ASSIGN(ExecutionResult result, inner_->execute(request, context));
    if (!checker) result.notes.push_back(unchecked_note(*profile.check));
    return result;
  }
  COVE_TRY(validate_request(request, inner_->capabilities()));
  COVE_TRY(check_entry(profile, request));
  ExecutionRequest checked = request;
  checked.entry = free_name(request.files, checked_name(request, *checker));
  COVE_ASSIGN(const Program program, make_program(checked, *checker->profile.compile));
  COVE_ASSIGN(BuildCache* const builds, cache());
  COVE_ASSIGN(Built built,
              builder_.build({program, *checker, request.compile_timeout, context}, *builds));
  if (built.failure) return failed_result(std::move(built), request, context.sink, started);
  return run_built(*inner_, std::move(built), request, context, started);
}

}  // namespace cove
