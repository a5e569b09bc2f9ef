#include "executor/local/local_executor.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/random_id.h"
#include "executor/file_collector.h"
#include "executor/local/output_pump.h"
#include "executor/local/process_tree.h"
#include "executor/local/scratch_directory.h"
#include "executor/refuse_compiled.h"
#include "policy/validate.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCollectBudget{2};

std::vector<std::string> arguments_for(const Runtime& runtime, const LocalOptions& options,
                                       const std::string& program,
                                       const ExecutionRequest& request) {
  std::vector<std::string> argv{options.interpreter.value_or(runtime.interpreter)};
  if (options.arguments) {
    argv.insert(argv.end(), options.arguments->begin(), options.arguments->end());
    argv.push_back(program);
  } else {
    constexpr std::string_view kProgram = "{program}";
    for (std::string argument : runtime.profile.run_args) {
      if (const std::size_t at = argument.find(kProgram); at != std::string::npos) {
        argument.replace(at, kProgram.size(), program);
      }
      argv.push_back(std::move(argument));
    }
  }
  argv.insert(argv.end(), request.args.begin(), request.args.end());
  return argv;
}

class EnvironmentList {
 public:
  void set(std::string_view name, std::string_view value) {
    const std::string prefix = std::string(name) + "=";
    std::erase_if(list_, [&](const std::string& entry) { return entry.starts_with(prefix); });
    list_.push_back(prefix + std::string(value));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

// Profiles speak of the working directory by its name in the sandbox.
std::string with_work_path(std::string value, const std::string& work_path) {
  constexpr std::string_view kWorkspace = "/workspace";
  for (std::size_t at = value.find(kWorkspace); at != std::string::npos;
       at = value.find(kWorkspace, at + work_path.size())) {
    value.replace(at, kWorkspace.size(), work_path);
  }
  return value;
}

std::vector<std::string> environment_for(const Runtime& runtime, const ExecutionRequest& request,
                                         const std::string& work_path) {
  const EnvironmentPolicy& policy = request.policy.environment;
  EnvironmentList list;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    const bool wanted = policy.kind == EnvironmentPolicy::Kind::Unrestricted ||
                        (policy.kind == EnvironmentPolicy::Kind::AllowList &&
                         std::ranges::find(policy.names, name) != policy.names.end());
    if (wanted) list.set(name, text.substr(equals + 1));
  }
  for (const auto& [name, value] : runtime.profile.env) {
    list.set(name, with_work_path(value, work_path));
  }
  for (const auto& [name, value] : request.env) list.set(name, value);
  return list.take();
}

Result<UniqueFd> open_start_directory(int work, const SandboxPolicy& policy) {
  const std::string relative = policy.working_directory.value_or(".");
  UniqueFd fd(::openat(work, relative.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Err(Error::from_errno("opening the working directory " + relative));
  return fd;
}

std::string signal_name(int number) {
  const char* const abbreviation = ::sigabbrev_np(number);
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation)
                                 : fmt::format("SIG{}", number);
}

void record_outcome(PumpEnd end, const ProcessExit& exit, ExecutionResult& result) {
  result.usage.cpu = exit.cpu;
  result.usage.peak_memory = exit.peak_memory;
  if (end != PumpEnd::Exited) {
    result.status = end == PumpEnd::Timeout ? ExecutionStatus::Timeout : ExecutionStatus::Cancelled;
    result.killed = true;
    return;
  }
  result.status = ExecutionStatus::Failed;
  if (!exit.wait_status) return;
  if (WIFEXITED(*exit.wait_status)) {
    result.exit_code = WEXITSTATUS(*exit.wait_status);
    if (result.exit_code == 0) result.status = ExecutionStatus::Success;
  } else if (WIFSIGNALED(*exit.wait_status)) {
    result.signal = signal_name(WTERMSIG(*exit.wait_status));
  }
}

}  // namespace

LocalExecutor::LocalExecutor(RuntimeCatalog catalog, LocalOptions options)
    : catalog_(std::move(catalog)), options_(std::move(options)) {}

BackendCapabilities LocalExecutor::capabilities() const {
  BackendCapabilities capabilities;
  capabilities.backend = "local";
  capabilities.isolation = "none";
  capabilities.timeout = true;
  capabilities.output_caps = true;
  capabilities.notes = {
      "programs run as ordinary processes of this user: for trusted code only (--policy "
      "host_local)"};
  return capabilities;
}

bool LocalExecutor::supports_language(std::string_view language) const {
  return catalog_.find_interpreted(language).has_value();
}

Result<ExecutionResult> LocalExecutor::execute(const ExecutionRequest& request,
                                               const ExecutionContext& context) {
  const auto asked = Clock::now();
  COVE_TRY(validate_request(request, capabilities()));
  COVE_ASSIGN(const Runtime runtime, catalog_.find_interpreted(request.language));
  COVE_TRY(check_entry(runtime.profile, request));
  if (request.input) {
    return Err(Error::invalid_field("input", "the local backend runs plain programs only"));
  }
  if (context.live != nullptr || context.terminal) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     "the local backend takes no input while a program runs and has no terminal: "
                     "use the native one"));
  }
  const ResolvedLimits limits =
      resolve_limits(request.limits, request.policy.limits, runtime.profile.limits);
  const auto timeout = request.timeout.value_or(options_.timeout.value_or(request.policy.timeout));

  COVE_ASSIGN(ScratchDirectory scratch, ScratchDirectory::create());
  COVE_TRY(scratch.write_files(request.files));
  COVE_ASSIGN(const std::string program,
              scratch.write_program("main." + runtime.profile.extension, request.code));
  COVE_ASSIGN(const UniqueFd start_directory,
              open_start_directory(scratch.work_fd(), request.policy));

  ExecutionResult result;
  result.backend = "local";
  result.isolation = "none";
  result.execution_id = request.execution_id.empty() ? random_id("exec_") : request.execution_id;
  OutputCapture out(OutputCapture::Stream::Stdout, limits.stdout_bytes, request.truncation,
                    context.sink);
  OutputCapture err(OutputCapture::Stream::Stderr, limits.stderr_bytes, request.truncation,
                    context.sink);

  const ProcessSpec spec{arguments_for(runtime, options_, program, request),
                         environment_for(runtime, request, scratch.work_path()),
                         start_directory.get()};
  const auto started = Clock::now();
  COVE_ASSIGN(ProcessTree tree, ProcessTree::start(spec));
  result.setup = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - asked);
  const PumpEnd end = pump(tree, {request.stdin_data, started + timeout, context.cancel}, out, err);
  const ProcessExit exit = tree.wait();
  if (exit.start_errno) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("cannot execute {}: {}", spec.argv[0],
                                 std::system_category().message(*exit.start_errno))));
  }
  result.duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started);
  result.usage.wall = result.duration;
  record_outcome(end, exit, result);
  out.finish(result);
  err.finish(result);

  CollectOptions collect;
  collect.request_files = request.files;
  collect.contents = request.collect_file_contents;
  collect.deadline = Clock::now() + kCollectBudget;
  collect_files(scratch.work_fd(), collect, result);
  return result;
}

}  // namespace cove
