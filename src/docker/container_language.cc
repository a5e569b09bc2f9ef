#include "docker/container_language.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/replace_all.h"

namespace cove {

namespace {

constexpr std::string_view kWorkspace = "/workspace";
constexpr std::string_view kProgram = "{program}";

bool needs_guest_files(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument.find("{guest}") != std::string::npos;
  });
}

std::string plain_name(const std::string& command) {
  return command.substr(command.rfind('/') + 1);  // npos + 1 is 0
}

void add(std::vector<ContainerLanguage>& out, ContainerLanguage language) {
  const bool known = std::ranges::any_of(out, [&](const ContainerLanguage& other) {
    return other.command == language.command && other.run_args == language.run_args;
  });
  if (!known && !needs_guest_files(language.run_args)) out.push_back(std::move(language));
}

void set(std::vector<std::string>& list, std::string_view name, std::string_view value) {
  const std::string prefix = std::string(name) + "=";
  std::erase_if(list, [&](const std::string& entry) { return entry.starts_with(prefix); });
  list.push_back(prefix + std::string(value));
}

}  // namespace

Result<std::vector<ContainerLanguage>> container_languages(const LanguageProfile& profile) {
  std::vector<ContainerLanguage> out;
  for (const std::string& command : profile.interpreters) {
    add(out, {plain_name(command), profile.run_args, {}});
  }
  for (const InterpreterChoice& choice : profile.alternatives) {
    if (!choice.needs.empty() || !choice.min_version.empty()) continue;
    add(out, {plain_name(choice.command), choice.run_args.value_or(profile.run_args), choice.env});
  }
  if (out.empty()) {
    return Err(
        Error(ErrorCode::UnsupportedLanguage,
              fmt::format("{} cannot be run in an image: it is started with Cove's own files",
                          profile.name)));
  }
  return out;
}

std::vector<std::string> program_arguments(const ContainerLanguage& language,
                                           const std::string& interpreter,
                                           const ExecutionRequest& request,
                                           const ContainerPaths& paths) {
  std::vector<std::string> argv{interpreter};
  for (const std::string& argument : language.run_args) {
    argv.push_back(
        replace_all(replace_all(argument, kWorkspace, paths.work), kProgram, paths.program));
  }
  argv.insert(argv.end(), request.args.begin(), request.args.end());
  return argv;
}

std::vector<std::string> program_environment(const LanguageProfile& profile,
                                             const ContainerLanguage& language,
                                             const ExecutionRequest& request,
                                             const ContainerPaths& paths) {
  std::vector<std::string> list;
  const EnvironmentPolicy& inherited = request.policy.environment;
  if (inherited.kind == EnvironmentPolicy::Kind::AllowList) {
    for (const std::string& name : inherited.names) {
      if (const char* value = ::secure_getenv(name.c_str()); value != nullptr)
        set(list, name, value);
    }
  }
  for (const auto& [name, value] : profile.env) {
    const std::string own = replace_all(value, kWorkspace, paths.work);
    const auto shared =
        std::ranges::find(paths.environment, name, &std::pair<std::string, std::string>::first);
    if (shared == paths.environment.end()) {
      set(list, name, own);
    } else if (name.ends_with("PATH")) {
      set(list, name, own + ":" + shared->second);
    }
  }
  for (const auto& [name, value] : language.env) set(list, name, value);
  for (const auto& [name, value] : request.env) set(list, name, value);
  return list;
}

}  // namespace cove
