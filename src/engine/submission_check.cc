#include "engine/submission_check.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/strings.h"
#include "policy/validate.h"

namespace cove {
namespace {

Result<> resolve_language(Submission& submission, const EngineOptions& options,
                          const CodeExecutor& executor) {
  std::string& language = submission.request.language;
  if (options.resolve_language) {
    COVE_ASSIGN(language, options.resolve_language(language));
  } else {
    std::ranges::transform(language, language.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  if (executor.supports_language(language)) return {};
  if (options.why_unsupported) {
    const CodeExecutor* const further = submission.backend.empty() ? nullptr : &executor;
    if (auto why = options.why_unsupported(language, further)) return Err(std::move(*why));
  }
  return Err(Error(ErrorCode::UnsupportedLanguage,
                   fmt::format("language {} is not supported by the backend \"{}\" on this host",
                               quoted(language), executor.name())));
}

Result<> check_allowed(const Caller& caller, const std::vector<std::string>& allowed,
                       std::string_view what, const std::string& asked) {
  if (allowed.empty() || std::ranges::find(allowed, asked) != allowed.end()) return {};
  return Err(Error(ErrorCode::Forbidden,
                   fmt::format("the key \"{}\" does not allow the {} {}; it allows {}", caller.name,
                               what, quoted(asked), join(allowed, ", "))));
}

void set_timeout(Submission& submission, const EngineOptions& options) {
  ExecutionRequest& request = submission.request;
  const auto asked =
      request.timeout.value_or(usual_timeout(request.policy, options.default_timeout));
  request.timeout = std::min(asked, options.max_timeout);
  if (asked == *request.timeout) return;
  submission.notes.push_back(fmt::format("the timeout is {}, the most here, not {}",
                                         format_duration(*request.timeout),
                                         format_duration(asked)));
}

// Who does not ask for less gets the most: the steps' own limits are in the language's profile.
void set_compile_timeout(Submission& submission, std::chrono::milliseconds most) {
  auto& timeout = submission.request.compile_timeout;
  if (timeout && *timeout > most) {
    submission.notes.push_back(fmt::format("the compile timeout is {}, the most here, not {}",
                                           format_duration(most), format_duration(*timeout)));
  }
  timeout = std::min(timeout.value_or(most), most);
}

}  // namespace

std::chrono::milliseconds usual_timeout(const SandboxPolicy& policy,
                                        std::chrono::milliseconds default_timeout) {
  return policy.timeout == SandboxPolicy().timeout ? default_timeout : policy.timeout;
}

Result<> prepare_submission(Submission& submission, const EngineOptions& options,
                            const CodeExecutor& executor) {
  ExecutionRequest& request = submission.request;
  const Caller& caller = submission.caller;
  if (!caller.may(Scope::Execute)) {
    return Err(
        Error(ErrorCode::Forbidden,
              fmt::format("the key \"{}\" does not have the scope \"execute\"", caller.name)));
  }
  if (submission.policy_name.empty()) submission.policy_name = "custom";
  COVE_TRY(check_allowed(caller, caller.limits.policies, "policy", submission.policy_name));
  const std::string backend =
      submission.backend.empty() ? std::string(executor.name()) : submission.backend;
  COVE_TRY(check_allowed(caller, caller.limits.backends, "backend", backend));
  COVE_TRY(resolve_language(submission, options, executor));
  COVE_TRY(check_allowed(caller, caller.limits.languages, "language", request.language));
  const BackendCapabilities capabilities = executor.capabilities();
  if ((submission.live || submission.terminal) && !capabilities.interactive) {
    return Err(Error::invalid_field(
        "backend", fmt::format("{} takes no input while a program runs and has no terminal",
                               quoted(capabilities.backend))));
  }
  COVE_TRY(validate_request(request, capabilities));
  if (!request.files.empty() &&
      request.policy.filesystem.kind == FilesystemPolicy::Kind::WorkspaceReadOnly) {
    return Err(Error::invalid_field("files", "cannot be put into a read-only workspace"));
  }
  set_timeout(submission, options);
  set_compile_timeout(submission, options.max_compile);
  request.collect_file_contents = true;
  request.identity = caller.name;
  return {};
}

}  // namespace cove
