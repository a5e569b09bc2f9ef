#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"

namespace cove {

// One way to start a language in an image: a command by its plain name (the image's own PATH
// decides where it is) and the arguments of the language's profile.
struct ContainerLanguage {
  std::string command;
  std::vector<std::string> run_args;
  std::vector<std::pair<std::string, std::string>> env;  // besides the profile's
};

// The ways that a profile has, in its order, less those that need Cove's own files or a certain
// version, which no image can be asked for. UnsupportedLanguage when none is left.
Result<std::vector<ContainerLanguage>> container_languages(const LanguageProfile& profile);

// Arguments and variables of profiles speak of /workspace and {program}: the paths that they really
// have, and the variables that the container has for all. Of one that both have the container's
// wins; search paths are joined.
struct ContainerPaths {
  std::string work;  // the working directory of the execution
  std::string program;
  std::vector<std::pair<std::string, std::string>> environment;
};
std::vector<std::string> program_arguments(const ContainerLanguage& language,
                                           const std::string& interpreter,
                                           const ExecutionRequest& request,
                                           const ContainerPaths& paths);
std::vector<std::string> program_environment(const LanguageProfile& profile,
                                             const ContainerLanguage& language,
                                             const ExecutionRequest& request,
                                             const ContainerPaths& paths);

}  // namespace cove
