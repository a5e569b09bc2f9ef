#include "cli/executor_choice.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "executor/local/local_executor.h"
#include "image/image_store.h"

namespace cove {

namespace {

constexpr std::string_view kImagePrefix = "image:";

// What is asked of a program says nothing about its compiler.
std::string compiler_limits(const CompilePlan& plan, const ExecutionRequest& request) {
  const ResolvedLimits limits = resolve_limits({}, {}, plan.compiler.profile.limits);
  std::string text =
      fmt::format("{} for each step, {} of memory, {} of disk, {} processes, no network",
                  format_duration(plan.step_timeout), format_size(limits.memory),
                  format_size(limits.disk), limits.processes);
  if (request.compile_timeout) {
    text += fmt::format("; {} for all steps", format_duration(*request.compile_timeout));
  }
  return text;
}

Result<ExplainedSteps> explain_native(const ExecutorChoice& choice,
                                      const ExecutionRequest& request) {
  ExplainedSteps out;
  std::optional<CompilePlan> plan;
  if (choice.compiling != nullptr) {
    COVE_ASSIGN(plan, choice.compiling->plan(request));
  }
  if (!plan) {
    COVE_ASSIGN(out.program, choice.native->explain(request));
    return out;
  }
  ExecutionRequest step;
  step.language = request.language;
  COVE_ASSIGN(out.compiler, choice.native->explain(step, &plan->compiler));
  out.compiler_limits = compiler_limits(*plan, request);
  ExecutionRequest run = request;
  run.code.clear();
  run.entry.clear();
  COVE_ASSIGN(out.program, choice.native->explain(run, &plan->program));
  return out;
}

}  // namespace

std::string check_backend_name(const std::string& backend) {
  for (const char* name : {"native", "local", "container", "docker"}) {
    if (backend == name) return "";
  }
  if (backend.starts_with(kImagePrefix) && backend.size() > kImagePrefix.size()) return "";
  return "must be native, local, container, docker or image:NAME, got " + quoted(backend);
}

Error isolation_of_another(std::string_view backend) {
  return {ErrorCode::InvalidRequest,
          fmt::format("--isolation is an option of --backend native and image:NAME, not of {}",
                      backend)};
}

Result<ExecutorChoice> choose_executor(const BackendOptions& options, RuntimeCatalog catalog) {
  ExecutorChoice choice;
  const bool is_native = options.backend == "native" || options.backend.starts_with(kImagePrefix);
  if (options.isolation && !is_native) return Err(isolation_of_another(options.backend));
  if (options.backend == "local") {
    choice.executor = std::make_unique<LocalExecutor>(std::move(catalog));
    return choice;
  }
  if (options.backend == "container") {
    COVE_ASSIGN(auto container, ContainerExecutor::create(std::move(catalog), options.container));
    choice.container = container.get();
    choice.executor = std::move(container);
    return choice;
  }
  if (options.backend == "docker") {
    // Words with --backend docker never get here; if the parser found it, an option before it took
    // no value. It must not become a run on another backend.
    return Err(Error(ErrorCode::InvalidRequest, "the option before --backend has no value"));
  }
  NativeOptions native_options;
  if (options.isolation) native_options.isolation = *options.isolation;
  if (options.backend.starts_with(kImagePrefix)) {
    COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
    COVE_ASSIGN(ImageRoot root, store.open_root(options.backend.substr(kImagePrefix.size())));
    catalog = catalog.with_path({root.command_path, root.path});
    native_options.image = std::move(root);
  }
  COVE_ASSIGN(std::shared_ptr<NativeExecutor> native,
              NativeExecutor::create(catalog, std::move(native_options)));
  choice.native = native.get();
  COVE_ASSIGN(auto compiling, CompilingExecutor::create(std::move(native), std::move(catalog)));
  choice.compiling = compiling.get();
  choice.executor = std::move(compiling);
  return choice;
}

Result<ExplainedSteps> explain_steps(const ExecutorChoice& choice,
                                     const ExecutionRequest& request) {
  if (choice.native != nullptr) return explain_native(choice, request);
  if (choice.container == nullptr) return ExplainedSteps();
  COVE_ASSIGN(const auto words, choice.container->build_run_args(request));
  const ContainerEngine& engine = choice.container->engine();
  // An option and its value are one step; so are the image and the words behind it.
  std::string text = fmt::format("{:>3}  {}", 1, engine.command.path);
  int number = 1;
  bool takes_value = true;
  bool behind_image = false;
  for (const std::string& word : words) {
    const bool option = !behind_image && word.starts_with('-');
    if (!option && !takes_value) {
      if (!behind_image) text += fmt::format("\n{:>3} ", ++number);
      behind_image = true;
    } else if (option) {
      text += fmt::format("\n{:>3} ", ++number);
    }
    text += " " + word;
    takes_value = option;
  }
  return ExplainedSteps{text + "\n", "", ""};
}

}  // namespace cove
