#include "cli/doctor_command.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/strings.h"
#include "cli/console.h"
#include "cli/doctor_engines.h"
#include "cli/doctor_proofs.h"
#include "cli/executor_choice.h"
#include "cli/installation.h"
#include "model/names.h"
#include "policy/validate.h"
#include "sandbox/probe.h"

namespace cove {

namespace {

struct DoctorOptions {
  bool prove = false;
  bool json = false;
  std::string isolation = "namespaces";
};

// One facility of the host.
struct Check {
  std::string name;
  bool ok = false;
  std::string detail;
  std::string hint;  // how to get it, when it is missing
};

std::vector<Check> check_host(const sandbox::HostFacts& facts) {
  std::vector<Check> checks;
  checks.push_back({"kernel", true, facts.kernel, ""});
  checks.push_back(
      {"user namespaces", facts.user_namespaces,
       facts.user_namespaces ? "yes" : facts.user_namespaces_reason,
       "sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces>0; in a "
       "container, a seccomp profile that allows unshare; or --isolation landlock"});
  checks.push_back({"private /proc", facts.mount_proc,
                    facts.mount_proc ? "yes" : facts.mount_proc_reason,
                    "in Docker: --security-opt systempaths=unconfined; or --isolation landlock"});
  checks.push_back({"seccomp", facts.seccomp, facts.seccomp ? "filters work" : "no filters",
                    "a kernel with CONFIG_SECCOMP_FILTER"});
  checks.push_back({"Landlock", facts.landlock_abi > 0,
                    facts.landlock_abi > 0 ? fmt::format("ABI {}", facts.landlock_abi) : "absent",
                    "a kernel >= 5.13 with landlock in its lsm= list"});
  const bool has_cgroup = facts.cgroup != "none";
  std::string cgroup = facts.cgroup_reason;
  if (has_cgroup) cgroup = facts.cgroup + (cgroup.empty() ? "" : ", " + cgroup);
  checks.push_back({"cgroup", has_cgroup, cgroup,
                    "root, or a delegated cgroup (systemd-run --user --scope -p Delegate=yes); "
                    "without it memory is limited per process"});
  return checks;
}

void print(const std::string& text) {
  (void)write_fully(STDOUT_FILENO, text);
}

std::string line_for(const Check& check) {
  std::string line = fmt::format("{}  {:<16}  {}\n",
                                 check.ok ? tinted("ok     ", Tint::Good, STDOUT_FILENO)
                                          : tinted("missing", Tint::Bad, STDOUT_FILENO),
                                 check.name, check.detail);
  if (!check.ok) line += fmt::format("         {:<16}  get it: {}\n", "", check.hint);
  return line;
}

json::object as_json(const BackendCapabilities& c) {
  return json::object{{"backend", c.backend},
                      {"isolation", c.isolation},
                      {"network", c.network},
                      {"filesystem", c.filesystem},
                      {"environment", c.environment},
                      {"timeout", c.timeout},
                      {"memory", name_of(c.memory)},
                      {"processes", name_of(c.processes)},
                      {"cpu", name_of(c.cpu)},
                      {"disk", name_of(c.disk)},
                      {"output_caps", c.output_caps},
                      {"interactive", c.interactive},
                      {"warm", c.warm},
                      {"notes", json::value_from(c.notes)}};
}

std::string capability_lines(const BackendCapabilities& c) {
  const auto yes = [](bool value) { return value ? "enforced" : "not enforced"; };
  std::string text =
      fmt::format("\nWith isolation `{}` this host holds a program to:\n", c.isolation);
  text += fmt::format("  network {}, host files {}, environment {}, timeout {}\n", yes(c.network),
                      yes(c.filesystem), yes(c.environment), yes(c.timeout));
  text += fmt::format("  memory: {}, processes: {}, cpu: {}, disk: {}\n", name_of(c.memory),
                      name_of(c.processes), name_of(c.cpu), name_of(c.disk));
  for (const std::string& note : c.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string line_for(const Proof& proof) {
  return fmt::format("{}  {:<32}  {}\n",
                     proof.contained ? tinted("contained    ", Tint::Good, STDOUT_FILENO)
                                     : tinted("NOT CONTAINED", Tint::Bad, STDOUT_FILENO),
                     proof.name, proof.seen);
}

json::object check_json(const Check& check) {
  json::object object{
      {"name", check.name}, {"ok", check.ok}, {"detail", sanitize_utf8(check.detail)}};
  if (!check.ok) object["hint"] = check.hint;
  return object;
}

// What an executor says of itself holds only if a sandbox can be made at all: empty if so.
std::string why_no_sandbox(const sandbox::HostFacts& facts, const std::string& isolation) {
  if (isolation != "namespaces") return "";
  if (!facts.user_namespaces) return facts.user_namespaces_reason;
  return facts.mount_proc ? "" : facts.mount_proc_reason;
}

Result<int> examine(const DoctorOptions& options) {
  const sandbox::HostFacts facts = sandbox::probe_host();
  const std::vector<Check> checks = check_host(facts);
  json::object report;
  if (!options.json) {
    for (const Check& check : checks) print(line_for(check));
  }
  json::array check_list;
  for (const Check& check : checks) check_list.push_back(check_json(check));
  report["checks"] = std::move(check_list);

  COVE_ASSIGN(Installation installation, load_installation());
  COVE_ASSIGN(
      const ExecutorChoice choice,
      choose_executor({.backend = "native", .isolation = options.isolation, .container = {}},
                      std::move(installation.catalog)));
  const BackendCapabilities capabilities = choice.executor->capabilities();
  report["capabilities"] = as_json(capabilities);
  const auto valid = validate_policy(SandboxPolicy{}, capabilities);
  const std::string refusal =
      valid ? why_no_sandbox(facts, options.isolation) : valid.error().message();
  bool healthy = refusal.empty();
  report["default_policy_enforceable"] = healthy;
  if (!healthy) report["refusal"] = sanitize_utf8(refusal);
  if (!options.json) {
    print(capability_lines(capabilities));
    print(healthy
              ? tinted("The default policy (strict) can be enforced.\n", Tint::Good, STDOUT_FILENO)
              : tinted(fmt::format("The default policy (strict) cannot be enforced: {}\n", refusal),
                       Tint::Bad, STDOUT_FILENO));
  }

  const std::vector<EngineReport> engines = examine_engines();
  report["engines"] = engines_json(engines);
  if (!options.json) print(engine_lines(engines));
  const json::object docker = examine_docker();
  const json::object images = examine_images();
  if (!options.json) print(docker_lines(docker) + image_lines(images));
  report["docker"] = docker;
  report["images"] = images;

  if (options.prove && healthy) {
    if (!options.json) print("\nAttacks against this host:\n");
    json::array proof_list;
    const std::vector<Proof> proofs = prove_containment(*choice.executor, [&](const Proof& proof) {
      if (!options.json) print(line_for(proof));
      proof_list.push_back(json::object{{"attack", proof.name},
                                        {"contained", proof.contained},
                                        {"seen", sanitize_utf8(proof.seen)}});
    });
    report["proofs"] = std::move(proof_list);
    const auto contained = std::ranges::count_if(proofs, &Proof::contained);
    healthy = static_cast<std::size_t>(contained) == proofs.size();
    if (!options.json) print(fmt::format("\n{} of {} contained.\n", contained, proofs.size()));
  }
  report["ok"] = healthy;
  if (options.json) print(json::serialize(report) + "\n");
  return healthy ? 0 : 1;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  CLI::App* const command =
      app.add_subcommand("doctor", "What this host can enforce, and how to get more");
  const auto options = std::make_shared<DoctorOptions>();
  command->add_flag("--prove", options->prove, "Attack this host with small hostile programs");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->add_option("--isolation", options->isolation, "Level to examine")
      ->check(CLI::IsMember({"namespaces", "landlock"}))
      ->capture_default_str();
  command->callback([options, &exit_code] {
    const auto done = examine(*options);
    exit_code = done ? *done : report_error(done.error(), options->json);
  });
}

}  // namespace cove
