#include "toolchain/compiler.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/fill_text.h"
#include "base/parse_duration.h"
#include "base/parse_size.h"
#include "base/replace_all.h"
#include "base/strings.h"
#include "model/diagnostic_text.h"
#include "model/file_name.h"
#include "toolchain/diagnostics/attach_source.h"
#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/explain_fence.h"
#include "toolchain/diagnostics/explain_run.h"
#include "toolchain/diagnostics/linker_text.h"
#include "toolchain/diagnostics/output_lines.h"
#include "toolchain/diagnostics/own_place.h"
#include "toolchain/diagnostics/place_package.h"

namespace cove {
namespace {

constexpr Bytes kMostOutput = Bytes::mib(4);      // of one stream of one step
constexpr std::size_t kMostReported = 256 << 10;  // of what the compilers printed
constexpr std::size_t kMostUnparsed = 2 << 10;    // as the message of a diagnostic
constexpr Bytes kMostBuilt = Bytes::mib(16);      // of one file: more is not collected
constexpr std::uint32_t kPreparingUser = 65534;

// The names are the caller's: whatever is in them, they are not filled any further.
std::vector<std::string> step_args(const CompileStep& step, const Program& program) {
  const std::vector<Filling> fillings{{"{entry}", literal(program.sources.front())},
                                      {"{out}", std::string(kOutDirectory)}};
  std::vector<std::string> args;
  std::vector<std::string> words = step.args;
  words.insert(words.end(), step.optional_args.begin(), step.optional_args.end());
  for (const std::string& arg : words) {
    if (arg == "{sources}") {
      std::ranges::transform(program.sources, std::back_inserter(args), literal);
      continue;
    }
    args.push_back(fill_text(arg, fillings));
  }
  return args;
}

// NAME=VALUE of what is added takes the place of the step's own: gcc does not go back from JSON to
// text.
template <class Added>
std::vector<std::string> changed_args(const CompileStep& step, const Program& program,
                                      const Added& added) {
  std::vector<std::string> args = step_args(step, program);
  for (const std::string_view arg : added) {
    const auto equals = arg.find('=');
    if (equals == std::string_view::npos) continue;
    std::erase_if(args, [name = arg.substr(0, equals + 1)](const std::string& own) {
      return own.starts_with(name);
    });
  }
  args.insert(args.end(), added.begin(), added.end());
  return args;
}

// The compiler in place of the interpreter, with its own limits and variables.
Runtime step_runtime(const Runtime& runtime, std::string command, std::vector<std::string> args) {
  const CompileProfile& compile = *runtime.profile.compile;
  Runtime out = runtime;
  out.interpreter = std::move(command);
  out.profile.run_args = std::move(args);
  out.profile.harness_args.clear();
  out.profile.env = compile.env;
  out.profile.limits = compile.limits;
  out.profile.limits.stdout_bytes = kMostOutput;
  out.profile.limits.stderr_bytes = kMostOutput;
  out.profile.link_files = false;
  return out;
}

bool is_placed_linker_error(const Diagnostic& diagnostic) {
  return is_linker_error(diagnostic) && !diagnostic.spans.empty();
}

// No error was understood, and still it failed: the end of what was printed has to do.
Diagnostic unexplained(const ExecutionResult& result, const std::string& printed) {
  Diagnostic out;
  out.level = "error";
  std::string_view tail = trim(printed);
  take_prefix(tail, "[]\n");  // gcc, when it has nothing to say itself
  if (tail.size() > kMostUnparsed) {
    tail.remove_prefix(tail.size() - kMostUnparsed);
    tail.remove_prefix(std::min(tail.find('\n') + 1, tail.size()));  // from the start of a line
  }
  const std::string how =
      result.signal ? "was killed by " + *result.signal
                    : fmt::format("ended with exit code {}", result.exit_code.value_or(-1));
  out.message = tail.empty() ? "the compiler " + how : std::string(tail);
  return out;
}

// A file larger than the disk ends a compiler's child, and no limit was met then: what the compiler
// says of that is known by its words. With a place it would be the program's own text.
bool ran_out_of_disk(const ExecutionResult& result, const std::vector<Diagnostic>& diagnostics) {
  constexpr std::array<std::string_view, 4> kWords{"No space left on device", "File too large",
                                                   "File size limit exceeded",
                                                   "Disk quota exceeded"};
  if (std::ranges::find(result.limits_hit, LimitHit::Disk) != result.limits_hit.end()) return true;
  return std::ranges::any_of(diagnostics, [&](const Diagnostic& diagnostic) {
    return diagnostic.is_error() && diagnostic.spans.empty() &&
           std::ranges::any_of(
               kWords, [&](std::string_view words) { return diagnostic.message.contains(words); });
  });
}

// Compilers that found nothing wrong and left nothing had nothing to compile. Who writes a profile
// sees from the note what else it may be.
Diagnostic nothing_built(const LanguageProfile& profile) {
  Diagnostic out;
  out.level = "error";
  out.message = profile.compile->entry.contains("{class}")
                    ? "the program has no class"
                    : "there is nothing to run: the compiler built nothing of the program";
  out.notes.push_back(
      {"note", fmt::format("the steps of {} left nothing in {{out}}", profile.name), {}});
  return out;
}

std::vector<ExecFile> built_files(const ExecutionResult& result) {
  const std::string prefix = std::string(kOutDirectory) + "/";
  std::vector<ExecFile> files;
  for (const OutputFile& file : result.output_files) {
    if (!file.name.starts_with(prefix) || !file.content) continue;
    files.push_back({file.name.substr(prefix.size()), *file.content, std::nullopt});
  }
  return files;
}

// Why what was built cannot be kept; empty: it can.
std::string keeping_problem(const ExecutionResult& result, const std::vector<ExecFile>& files) {
  if (result.output_files_incomplete) {
    const auto large = std::ranges::find_if(
        files, [](const ExecFile& file) { return file.content.size() >= kMostBuilt.value; });
    return fmt::format(
        "what was built is too large{}: at most {} a file, 64 MiB and 1,000 files in all",
        large == files.end() ? "" : fmt::format(" ({})", quoted(large->name)),
        format_size(kMostBuilt));
  }
  const bool is_named_well = std::ranges::all_of(files, [](const ExecFile& file) {
    return validate_file_name(file.name, "name").has_value();
  });
  return is_named_well ? "" : "what was built has a file whose name is too long or nested too deep";
}

std::string stop_note(const ExecutionResult& result, const CompileStep& step,
                      const CompileProfile& compile) {
  if (result.status == ExecutionStatus::Timeout) {
    return fmt::format("the compiler was stopped: its step {} takes at most {}", step.name,
                       format_duration(compile.timeout));
  }
  if (result.status == ExecutionStatus::Oom) {
    const Bytes memory = resolve_limits({}, {}, compile.limits).memory;
    return fmt::format("the compiler ran out of memory (its limit is {})", format_size(memory));
  }
  if (result.status == ExecutionStatus::CompileFailed) {
    const Bytes disk = resolve_limits({}, {}, compile.limits).disk;
    return fmt::format("the compiler ran out of disk (its limit is {})", format_size(disk));
  }
  return "cancelled while it was compiled";
}

void keep_output(const std::string& printed, const ExecutionResult& result, CompileReport& report) {
  const std::size_t room = kMostReported - std::min(kMostReported, report.output.size());
  report.output += printed.substr(0, utf8_cut(printed, std::min(room, printed.size())));
  if (printed.size() > room || result.stdout_truncated || result.stderr_truncated) {
    report.output_truncated = true;
  }
}

// The files as their author knows them.
const std::vector<ExecFile>& source_of(const Program& program) {
  return program.written.empty() ? program.files : program.written;
}

const ExecFile& entry_of(const Program& program) {
  const std::string& name = program.run ? program.run->entry : program.entry;
  const auto& files = source_of(program);
  const auto found = std::ranges::find(files, name, &ExecFile::name);
  return found == files.end() ? files.front() : *found;
}

bool is_ignored(const CompileStep& step, const Diagnostic& diagnostic) {
  return diagnostic.code && std::ranges::find(step.ignored, *diagnostic.code) != step.ignored.end();
}

enum class Found : unsigned char { Nothing, Errors, OnlyIgnored };

// Adds what the step found; what kind of errors there were.
Found take_diagnostics(const CompileStep& step, const Program& program,
                       const ExecutionResult& result, std::vector<Diagnostic> found,
                       std::vector<Diagnostic>& all) {
  const DiagnosticFormat* const format = find_diagnostic_format(step.diagnostics);
  const auto ignored = std::erase_if(
      found, [&](const Diagnostic& diagnostic) { return is_ignored(step, diagnostic); });
  place_package(found, source_of(program), program.entry);
  attach_source(found, source_of(program), format->columns);
  mark_symbols(found);
  promote_own_places(found);
  if (program.run) explain_run(found, *program.run, source_of(program));
  explain_fence(found, entry_of(program));
  for (Diagnostic& diagnostic : found) {
    // What succeeded had no errors, whatever the program made its compiler print.
    const bool is_advice = step.advisory || result.is_success();
    if (is_advice && diagnostic.is_error()) diagnostic.level = "warning";
  }
  const bool has_error = std::ranges::any_of(found, &Diagnostic::is_error);
  all.insert(all.end(), std::make_move_iterator(found.begin()),
             std::make_move_iterator(found.end()));
  if (has_error) return Found::Errors;
  return ignored > 0 ? Found::OnlyIgnored : Found::Nothing;
}

// The compiler's result as that of the program, which never ran.
ExecutionResult failure_of(ExecutionResult result, const std::vector<Diagnostic>& diagnostics) {
  result.exit_code.reset();
  result.signal.reset();
  result.stdout_data.clear();
  result.stdout_truncated = result.stderr_truncated = false;
  result.output_files.clear();
  result.skipped_files.clear();
  result.output_files_incomplete = false;
  result.usage = {};  // the program's: the compiler's is in the report
  result.setup.reset();
  result.stderr_data = render_diagnostics(diagnostics, DiagnosticStyle::Full);
  return result;
}

}  // namespace

Runtime with_optional_tools(Runtime runtime, std::string_view isolation) {
  CompileProfile& compile = *runtime.profile.compile;
  if (isolation != "namespaces") return runtime;
  auto& args = compile.steps.front().optional_args;
  for (const OptionalTool& tool : compile.optional) {
    args.insert(args.end(), tool.args.begin(), tool.args.end());
  }
  compile.optional.clear();
  return runtime;
}

Runtime first_step(const Runtime& runtime, const Program& program) {
  const CompileStep& step = runtime.profile.compile->steps.front();
  return step_runtime(runtime, step.command.value_or(runtime.interpreter),
                      step_args(step, program));
}

Runtime program_runtime(const Runtime& runtime, const Program& program, std::string build_dir) {
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
  out.build_dir = std::move(build_dir);
  return out;
}

Result<Usage> Compiler::prepare(const std::string& directory) const {
  const CompileProfile& compile = *runtime_.profile.compile;
  // A guest writes to a directory of the host as its owner, who is never root. Nobody else can come
  // to it: its parent is closed.
  if (::geteuid() == 0 && ::chown(directory.c_str(), kPreparingUser, kPreparingUser) != 0) {
    return Err(Error::from_errno("cannot hand over " + directory));
  }
  const bool namespaces = executor_.capabilities().isolation == "namespaces";
  const std::string place = namespaces ? "/workspace" : directory;
  std::vector<std::string> command;
  command.reserve(compile.prepare.size());
  for (const std::string& word : compile.prepare) {
    command.push_back(
        replace_all(replace_all(word, "{compiler}", runtime_.interpreter), "{prepared}", place));
  }
  Runtime runtime = step_runtime(runtime_, command.front(), {command.begin() + 1, command.end()});
  for (auto& [name, value] : runtime.profile.env) value = replace_all(value, "{prepared}", place);
  ExecutionRequest request;
  request.language = runtime_.profile.name;
  request.timeout = compile.prepare_timeout;
  if (namespaces) {
    request.policy.filesystem.kind = FilesystemPolicy::Kind::WorkspaceReadWrite;
    request.policy.filesystem.root = directory;
  } else {
    request.policy.filesystem.kind = FilesystemPolicy::Kind::Paths;
    request.policy.filesystem.read_write = {directory};
  }
  ExecutionContext context;
  context.cancel = cancel_;
  context.runtime = &runtime;
  COVE_ASSIGN(const ExecutionResult result, executor_.execute(request, context));
  if (result.is_success()) return result.usage;
  return Err(Error(ErrorCode::DependencyNotFound,
                   fmt::format("preparing {} failed: {}", runtime_.profile.name,
                               unexplained(result, result.combined_output()).message)));
}

Result<ExecutionResult> Compiler::run_step(const CompileStep& step, std::string_view name,
                                           std::vector<std::string> args, Job& job) const {
  Runtime runtime =
      step_runtime(runtime_, step.command.value_or(runtime_.interpreter), std::move(args));
  runtime.prepared_dir = job.prepared_dir;
  const auto own = runtime_.profile.compile->timeout;
  ExecutionRequest request;
  request.language = runtime_.profile.name;
  request.files = job.program.files;
  request.files.push_back({std::string(kOutDirectory) + "/.keep", "", std::nullopt});
  request.timeout = job.budget.for_step(own);
  request.collect_file_contents = true;
  ExecutionContext context;
  context.cancel = cancel_;
  context.runtime = &runtime;
  COVE_ASSIGN(ExecutionResult result, executor_.execute(request, context));
  job.out.report.steps.push_back(
      {std::string(name), result.duration, result.usage.cpu, result.usage.peak_memory});
  if (result.status == ExecutionStatus::Timeout && *request.timeout < own) job.out.cut_short = true;
  return result;
}

void Compiler::trace_errors(const CompileStep& step, Job& job) const {
  auto& diagnostics = job.out.output.diagnostics;
  if (step.trace.empty() || !has_foreign_error(diagnostics)) return;
  // Without an answer the errors are told as they are.
  const auto result = run_step(step, "trace", changed_args(step, job.program, step.trace), job);
  if (!result) return;
  add_own_places(diagnostics, result->stderr_data, source_of(job.program),
                 find_diagnostic_format(step.diagnostics)->columns);
}

Result<> Compiler::say_again(const CompileStep& step, std::vector<Diagnostic>& said,
                             Job& job) const {
  const DiagnosticFormat* const format = find_diagnostic_format(step.diagnostics);
  COVE_ASSIGN(const ExecutionResult result,
              run_step(step, "again", changed_args(step, job.program, format->retry), job));
  const std::string printed = result.stderr_data + result.stdout_data;
  keep_output(printed, result, job.out.report);
  // Files that were read to their end the first time have said everything: this says it all.
  if (auto all = format->parse_retry(printed); !all.empty()) said = std::move(all);
  return {};
}

Result<> Compiler::ask_plain_linker(const CompileStep& step, std::vector<Diagnostic>& said,
                                    Job& job) const {
  CompileStep plain = step;
  plain.optional_args.clear();
  COVE_ASSIGN(const ExecutionResult result,
              run_step(plain, "link", step_args(plain, job.program), job));
  const std::string printed = result.stderr_data + result.stdout_data;
  auto all = find_diagnostic_format(step.diagnostics)->parse(printed);
  if (!std::ranges::any_of(all, is_placed_linker_error)) return {};
  keep_output(printed, result, job.out.report);
  said = std::move(all);
  return {};
}

Result<bool> Compiler::take_step(const CompileStep& step, Job& job) const {
  Compilation& out = job.out;
  COVE_ASSIGN(ExecutionResult result, run_step(step, step.name, step_args(step, job.program), job));
  const std::string printed = result.stderr_data + result.stdout_data;
  keep_output(printed, result, out.report);
  const DiagnosticFormat* const format = find_diagnostic_format(step.diagnostics);
  auto said = format->parse(printed);
  if (!result.is_success() && !format->lost.empty() && printed.contains(format->lost)) {
    COVE_TRY(say_again(step, said, job));
  }
  if (result.status == ExecutionStatus::Failed && !step.optional_args.empty() &&
      std::ranges::any_of(said, is_linker_error) &&
      std::ranges::none_of(said, is_placed_linker_error)) {
    COVE_TRY(ask_plain_linker(step, said, job));
  }
  const Found found =
      take_diagnostics(step, job.program, result, std::move(said), out.output.diagnostics);
  if (result.is_success()) {
    auto files = built_files(result);
    if (std::string problem = keeping_problem(result, files); !problem.empty()) {
      out.output.diagnostics.push_back({"error", std::move(problem), {}, {}, {}, {}});
      result.status = ExecutionStatus::CompileFailed;
      out.failure = failure_of(std::move(result), out.output.diagnostics);
      return false;
    }
    out.output.files.insert(out.output.files.end(), std::make_move_iterator(files.begin()),
                            std::make_move_iterator(files.end()));
    return true;
  }
  if (result.status == ExecutionStatus::Failed && found == Found::OnlyIgnored) return true;
  return end_step(step, std::move(result), printed, found == Found::Errors, job);
}

bool Compiler::end_step(const CompileStep& step, ExecutionResult result, const std::string& printed,
                        bool explained, Job& job) const {
  Compilation& out = job.out;
  if (step.advisory && result.status != ExecutionStatus::Cancelled) {
    if (out.cut_short) {
      out.notes.push_back(
          fmt::format("the step {} was stopped and what it finds is missing: compiling takes at "
                      "most {} (compile_timeout)",
                      step.name, job.budget.describe()));
    }
    return true;
  }
  if (result.status == ExecutionStatus::Failed) {
    if (!explained) {
      std::vector<Diagnostic> rest{unexplained(result, printed)};
      if (job.program.run) explain_run(rest, *job.program.run, source_of(job.program));
      out.output.diagnostics.push_back(std::move(rest.front()));
    }
    trace_errors(step, job);
    result.status = ExecutionStatus::CompileFailed;
    result.killed = false;
    if (ran_out_of_disk(result, out.output.diagnostics)) {
      result.notes.push_back(stop_note(result, step, *runtime_.profile.compile));
    }
  } else if (result.status == ExecutionStatus::Timeout && out.cut_short) {
    result.notes.push_back(
        fmt::format("the compiler was stopped in its step {}: compiling takes at most {} "
                    "(compile_timeout)",
                    step.name, job.budget.describe()));
  } else {
    result.notes.push_back(stop_note(result, step, *runtime_.profile.compile));
  }
  out.failure = failure_of(std::move(result), out.output.diagnostics);
  return false;
}

Result<Compilation> Compiler::compile(const Program& program, const std::string& prepared_dir,
                                      const CompileBudget& budget) const {
  Job job{program, prepared_dir, budget, {}};
  Compilation& out = job.out;
  for (const CompileStep& step : runtime_.profile.compile->steps) {
    if (find_diagnostic_format(step.diagnostics) == nullptr) {
      return Err(Error::invalid_field("compile.step.diagnostics",
                                      fmt::format("must be one of {}", diagnostic_format_names()))
                     .with_context(runtime_.profile.source));
    }
    COVE_ASSIGN(const bool go_on, take_step(step, job));
    if (!go_on) break;
  }
  const bool builds = !runtime_.profile.compile->run.empty();
  if (!out.failure && builds && out.output.files.empty()) {
    out.output.diagnostics.push_back(nothing_built(runtime_.profile));
    ExecutionResult result;
    result.status = ExecutionStatus::CompileFailed;
    const BackendCapabilities able = executor_.capabilities();
    result.backend = able.backend;
    result.isolation = able.isolation;
    out.failure = failure_of(std::move(result), out.output.diagnostics);
  }
  out.output.compiler_output = out.report.output;
  out.output.failed = out.failure.has_value();
  if (out.output.failed) out.output.files.clear();
  return std::move(job.out);
}

}  // namespace cove
