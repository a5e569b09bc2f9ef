#include "net/docker_run_command.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/option_names.h"
#include "cli/run_command.h"
#include "docker/docker_executor.h"
#include "docker/docker_policy.h"

namespace cove {

namespace {

// The image that is named, else that of the language's profile, as the container backend has it.
Result<DockerOptions> options_for(const RunOptions& words, const ExecutionRequest& request,
                                  const RuntimeCatalog& catalog) {
  if (words.image) return DockerOptions::custom(*words.image);
  const LanguageProfile* const profile = catalog.find_profile(request.language);
  if (profile != nullptr && !profile->container.image.empty()) {
    return DockerOptions::custom(profile->container.image);
  }
  return Err(Error(ErrorCode::InvalidRequest,
                   fmt::format("--image must say which image has {}: its profile names none",
                               quoted(request.language))));
}

Result<ExecutorChoice> choose_docker(const RunOptions& words, const ExecutionRequest& request,
                                     RuntimeCatalog catalog, const Limits& profile_limits) {
  COVE_ASSIGN(const DockerHost host, find_docker_host(words.docker_host.value_or("")));
  COVE_ASSIGN(DockerOptions options, options_for(words, request, catalog));
  COVE_ASSIGN(options, fit_to_request(std::move(options), request, profile_limits));
  ExecutorChoice choice;
  if (const auto fits = check_container_fits(options, request); !fits) {
    choice.refusals.push_back({"request", fits.error().message(), ""});
  }
  COVE_ASSIGN(choice.executor,
              DockerExecutor::create(std::move(catalog), std::move(options), host));
  return choice;
}

}  // namespace

int run_in_docker(const RunOptions& options) {
  if (options.isolation) return report_run_error(isolation_of_another(options.backend), options);
  const auto done = run_program(options, choose_docker);
  return done ? *done : report_local_error(done.error(), options);
}

}  // namespace cove
