#include "cli/policy_command.h"

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "cli/console.h"
#include "cli/executor_choice.h"
#include "cli/exit_code.h"
#include "cli/installation.h"
#include "cli/policy_verdict.h"
#include "model/policy_codec.h"
#include "policy/explain.h"
#include "policy/validate.h"

namespace cove {

namespace {

struct PolicyOptions {
  std::optional<std::string> policy;  // a name or a file
  std::string backend = "native";
  std::optional<std::string> isolation;
  bool json = false;
};

void print(const std::string& text) {
  (void)write_fully(STDOUT_FILENO, text);
}

Result<int> show(const PolicyOptions& options) {
  COVE_ASSIGN(const Installation installation, load_installation());
  if (options.policy) {
    COVE_ASSIGN(const SandboxPolicy policy, installation.presets.find_or_load(*options.policy));
    print(options.json ? json::serialize(encode_policy(policy)) + "\n" : describe_policy(policy));
    return 0;
  }
  json::array array;
  std::string text;
  for (const std::string& name : installation.presets.names()) {
    COVE_ASSIGN(const SandboxPolicy policy, installation.presets.find(name));
    array.push_back(encode_policy(policy));
    text += (text.empty() ? "" : "\n") + describe_policy(policy);
  }
  print(options.json ? json::serialize(json::object{{"policies", std::move(array)}}) + "\n" : text);
  return 0;
}

// The docker backend is not of this binary, and what it enforces depends on the request.
std::string check_backend_here(const std::string& backend) {
  if (backend != "docker") return check_backend_name(backend);
  return "must be native, local, container or image:NAME; for docker use cove run --backend docker "
         "--explain";
}

Result<int> check(const PolicyOptions& options) {
  COVE_ASSIGN(Installation installation, load_installation());
  COVE_ASSIGN(const SandboxPolicy policy,
              installation.presets.find_or_load(options.policy.value_or("strict")));
  COVE_ASSIGN(
      const ExecutorChoice choice,
      choose_executor({.backend = options.backend, .isolation = options.isolation, .container = {}},
                      std::move(installation.catalog)));
  const BackendCapabilities capabilities = choice.executor->capabilities();
  const std::vector<Refusal> further = backend_refusals(choice, policy);
  std::vector<Refusal> refusals = policy_refusals(policy, capabilities);
  refusals.insert(refusals.end(), further.begin(), further.end());
  if (options.json) {
    const PolicyVerdict verdict{refusals, unenforced_defaults({}, policy.limits, capabilities)};
    print(json::serialize(encode_verdict(policy, capabilities, verdict)) + "\n");
  } else {
    print(explain_policy(policy, capabilities, further));
  }
  return refusals.empty() ? 0 : kExitRefused;
}

}  // namespace

void add_policy_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("policy", "Show policies, or check one");
  command->require_subcommand(1);
  const auto options = std::make_shared<PolicyOptions>();

  CLI::App* const show_command =
      command->add_subcommand("show", "What a policy says (default: all)");
  show_command->add_option("POLICY", options->policy, "A policy's name or file");
  show_command->add_flag("--json", options->json, "Print one JSON object");
  show_command->callback([options, &exit_code] {
    const auto done = show(*options);
    exit_code = done ? *done : report_error(done.error(), options->json);
  });

  CLI::App* const check_command =
      command->add_subcommand("check", "Whether a backend can enforce a policy here");
  check_command->add_option("POLICY", options->policy, "A policy's name or file")->required();
  check_command->add_option("--backend", options->backend, "Which backend")
      ->check(check_backend_here)
      ->type_name("native|local|container|image:NAME")
      ->capture_default_str();
  check_command->add_option("--isolation", options->isolation, "Level of the native backend")
      ->check(CLI::IsMember({"namespaces", "landlock"}))
      ->default_str("namespaces");
  check_command->add_flag("--json", options->json, "Print one JSON object");
  check_command->callback([options, &exit_code] {
    const auto done = check(*options);
    exit_code = done ? *done : report_error(done.error(), options->json);
  });
}

}  // namespace cove
