#include "executor/container/container_plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "executor/container/container_workspace.h"

namespace cove {

namespace {

std::vector<std::string> with_program(const std::vector<std::string>& words,
                                      const std::string& program) {
  constexpr std::string_view kProgram = "{program}";
  std::vector<std::string> argv;
  for (std::string word : words) {
    if (const auto at = word.find(kProgram); at != std::string::npos) {
      word.replace(at, kProgram.size(), program);
    }
    argv.push_back(std::move(word));
  }
  return argv;
}

// A profile without a [container] table: its interpreter is expected in the image that was named.
std::vector<std::string> file_argv(const LanguageProfile& profile) {
  if (!profile.container.argv.empty() || profile.interpreters.empty()) {
    return profile.container.argv;
  }
  const std::string& interpreter = profile.interpreters.front();
  std::vector<std::string> argv{interpreter.substr(interpreter.rfind('/') + 1)};
  argv.insert(argv.end(), profile.run_args.begin(), profile.run_args.end());
  return argv;
}

Result<> refuse_what_it_has_not(const ExecutionRequest& request) {
  using Kind = FilesystemPolicy::Kind;
  const Kind kind = request.policy.filesystem.kind;
  if (request.input) {
    return Err(Error::invalid_field("input", "the container backend runs plain programs only"));
  }
  if (request.limits.cpu_time || request.policy.limits.cpu_time) {
    return Err(Error(ErrorCode::UnsupportedPolicy,
                     "backend cannot enforce cpu time limits (limits.cpu_time_ms; backend "
                     "\"container\"): it shares processors by limits.cpus and ends a run by its "
                     "timeout"));
  }
  if (!request.files.empty() &&
      (kind == Kind::WorkspaceReadOnly || kind == Kind::WorkspaceReadWrite)) {
    return Err(Error::invalid_field(
        "files", "the container backend puts none into a workspace of the host; leave them there"));
  }
  return {};
}

void add_variables(const LanguageProfile& profile, const ExecutionRequest& request,
                   ContainerPlan& plan) {
  std::map<std::string, std::string> values;
  if (request.policy.environment.kind == EnvironmentPolicy::Kind::AllowList) {
    for (const std::string& name : request.policy.environment.names) {
      if (const char* value = ::secure_getenv(name.c_str())) values[name] = value;
    }
  }
  for (const auto& [name, value] : profile.env) values[name] = value;
  for (const auto& [name, value] : request.env) values[name] = value;
  plan.variables.assign(values.begin(), values.end());
  plan.client_env = own_environment();
  for (const auto& [name, value] : values) {
    // Through the client's environment, so that no list of processes shows the value.
    if (is_client_variable(name)) {
      plan.run.env.push_back(fmt::format("{}={}", name, value));
      continue;
    }
    const std::string prefix = name + "=";
    std::erase_if(plan.client_env,
                  [&](const std::string& entry) { return entry.starts_with(prefix); });
    plan.client_env.push_back(prefix + value);
    plan.run.env.push_back(name);
  }
}

Error no_container(const LanguageProfile& profile) {
  return Error(ErrorCode::UnsupportedLanguage,
               fmt::format("no image is known for {}: name one (--image), or add a [container] "
                           "table with image and argv to a profile",
                           profile.name));
}

}  // namespace

bool has_container(const LanguageProfile& profile, const ContainerOptions& options) {
  const bool image = !options.image.empty() || !profile.container.image.empty();
  return image && !file_argv(profile).empty();
}

bool is_client_variable(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 28> kStarts{
      "DOCKER",  "CONTAINER", "PODMAN", "BUILDAH", "BUILDKIT", "MOBY",   "COMPOSE",
      "STORAGE", "REGISTRY",  "GO",     "XDG_",    "LD_",      "SSL_",   "OTEL_",
      "LC_",     "SSH_",      "DBUS_",  "CNI",     "NETAVARK", "LISTEN", "NOTIFY",
      "TMP",     "LANG",      "GRPC",   "CGO",     "LIBPOD",   "_",      "MALLOC_"};
  constexpr std::array<std::string_view, 9> kWhole{"PATH", "HOME", "USER",     "LOGNAME", "SHELL",
                                                   "TERM", "TZ",   "NO_COLOR", "PWD"};
  return upper.ends_with("_PROXY") || std::ranges::find(kWhole, upper) != kWhole.end() ||
         std::ranges::any_of(kStarts,
                             [&](std::string_view start) { return upper.starts_with(start); });
}

Result<> check_container_options(const ContainerOptions& options) {
  const std::array<std::pair<const char*, const std::string*>, 5> words{
      {{"image", &options.image},
       {"runtime", &options.runtime},
       {"user", &options.user},
       {"network", &options.network},
       {"engine", &options.engine}}};
  for (const auto& [field, value] : words) {
    const bool odd = std::ranges::any_of(*value, [](unsigned char c) { return c <= ' '; });
    if (odd || value->starts_with('-')) {
      return Err(Error::invalid_field(
          field,
          fmt::format("must be one word that does not start with a dash, got {}", quoted(*value))));
    }
  }
  if (options.user.empty()) {
    return Err(Error::invalid_field("user", "must be a user, such as 65534:65534"));
  }
  return {};
}

Result<ContainerPlan> plan_container(const LanguageProfile& profile,
                                     const ContainerOptions& options,
                                     const ExecutionRequest& request) {
  COVE_TRY(refuse_what_it_has_not(request));
  if (!has_container(profile, options)) return Err(no_container(profile));
  using Kind = FilesystemPolicy::Kind;
  const Kind kind = request.policy.filesystem.kind;
  ContainerPlan plan;
  plan.profile = profile;
  plan.own_workspace = kind != Kind::WorkspaceReadOnly && kind != Kind::WorkspaceReadWrite;
  plan.code_on_stdin =
      request.stdin_data.empty() && request.files.empty() && !profile.container.stdin_argv.empty();
  plan.run.name = random_id("cove-");
  plan.run.image = options.image.empty() ? profile.container.image : options.image;
  plan.file_argv = with_program(file_argv(profile),
                                fmt::format("{}/main.{}", kContainerProgram, profile.extension));
  plan.file_argv.insert(plan.file_argv.end(), request.args.begin(), request.args.end());
  plan.run.argv = plan.file_argv;
  if (plan.code_on_stdin) {
    plan.run.argv = profile.container.stdin_argv;
    plan.run.argv.insert(plan.run.argv.end(), request.args.begin(), request.args.end());
  }
  plan.run.limits = resolve_limits(request.limits, request.policy.limits, profile.limits);
  plan.run.network = request.policy.network == NetworkPolicy::Enabled;
  COVE_ASSIGN(plan.run.mounts, policy_mounts(request.policy.filesystem));
  plan.run.working_directory = kContainerWorkspace;
  if (const auto& below = request.policy.working_directory) {
    plan.run.working_directory = fmt::format("{}/{}", kContainerWorkspace, *below);
  }
  add_variables(profile, request, plan);
  return plan;
}

}  // namespace cove
