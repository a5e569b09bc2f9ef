#include "session/session_recipe.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.h"
#include "executor/native/guest_spec.h"
#include "policy/validate.h"

namespace cove {
namespace {

struct Runner {
  std::string_view extension;  // of the profile: one of a virtual environment has its own name
  std::string_view language;
  std::string_view interpreter;  // how its file name starts
  std::vector<std::string> args;
  bool can_fork;
};

std::vector<Runner> runners(const std::string& guest) {
  return {{"py", "python", "python", {guest + "/python/session.py"}, true},
          {"js", "javascript", "node", {guest + "/js/session.cjs"}, false},
          {"bash", "bash", "bash", {"--norc", "--noprofile", guest + "/bash/session.bash"}, false}};
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

Result<Runner> runner_of(const Runtime& runtime) {
  for (auto& runner : runners(GuestPaths{}.guest)) {
    if (runner.extension != runtime.profile.extension) continue;
    // An alternative of the profile (bun for node) runs programs, but not our runner.
    if (!base_name(runtime.interpreter).starts_with(runner.interpreter)) {
      return Err(Error(ErrorCode::UnsupportedLanguage,
                       fmt::format("sessions of {} need {}, and this host has {}", runner.language,
                                   runner.interpreter, runtime.interpreter)));
    }
    return runner;
  }
  return Err(
      Error(ErrorCode::UnsupportedLanguage,
            fmt::format("there are no sessions of {}: python, javascript and bash keep state",
                        runtime.profile.name)));
}

// The names of profiles that sessions can run with.
std::vector<std::string> session_profiles(const RuntimeCatalog& catalog) {
  std::vector<std::string> names;
  const auto all = runners(GuestPaths{}.guest);
  for (const auto& profile : catalog.profiles()) {
    const bool keeps_state =
        std::ranges::find(all, profile.extension, &Runner::extension) != all.end();
    if (keeps_state) names.push_back(profile.name);
  }
  std::ranges::sort(names);
  return names;
}

Result<Runtime> runtime_of(const RuntimeCatalog& catalog, const SessionOptions& options) {
  if (options.profile.empty()) return catalog.find(options.language);
  const auto names = session_profiles(catalog);
  if (std::ranges::find(names, options.profile) == names.end()) {
    return Err(Error::invalid_field(
        "profile",
        fmt::format("must be one of {}, got {}", join(names, ", "), quoted(options.profile))));
  }
  COVE_ASSIGN(auto runtime, catalog.find(options.profile));
  if (options.language.empty()) return runtime;
  COVE_ASSIGN(const auto asked, catalog.find(options.language));
  if (asked.profile.extension != runtime.profile.extension) {
    return Err(Error::invalid_field(
        "profile", fmt::format("{} is not a profile of the language {}", quoted(options.profile),
                               quoted(options.language))));
  }
  return runtime;
}

Result<> check_policy(const SandboxPolicy& policy) {
  using Kind = FilesystemPolicy::Kind;
  if (policy.filesystem.kind == Kind::WorkspaceReadOnly ||
      policy.filesystem.kind == Kind::WorkspaceReadWrite) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     "a session keeps its files in a private directory: filesystem must be none, "
                     "paths or unrestricted"));
  }
  if (policy.working_directory && policy.working_directory->find('\n') != std::string::npos) {
    return Err(Error::invalid_field("policy.working_directory", "must not hold a line feed"));
  }
  return {};
}

}  // namespace

Result<SessionRecipe> make_recipe(NativeHost& host, const RuntimeCatalog& catalog,
                                  const SessionOptions& options) {
  SessionRecipe recipe;
  recipe.host = &host;
  COVE_ASSIGN(recipe.runtime, runtime_of(catalog, options));
  ExecutionRequest request;
  request.language = recipe.runtime.profile.name;
  request.policy = options.policy;
  request.limits = options.limits;
  request.env = options.env;
  COVE_TRY(validate_request(request, host.capabilities()));
  COVE_TRY(check_policy(options.policy));
  COVE_ASSIGN(const auto runner, runner_of(recipe.runtime));
  recipe.options = options;
  recipe.options.language = runner.language;
  recipe.options.profile = recipe.runtime.profile.name;
  recipe.limits =
      resolve_limits(options.limits, options.policy.limits, recipe.runtime.profile.limits);
  recipe.argv = {recipe.runtime.interpreter};
  recipe.argv.insert(recipe.argv.end(), runner.args.begin(), runner.args.end());
  recipe.can_fork = runner.can_fork;
  return recipe;
}

}  // namespace cove
