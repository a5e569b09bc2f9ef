#include "cli/doctor_engines.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "model/names.h"

namespace cove {

std::vector<EngineReport> examine_engines() {
  std::vector<EngineReport> reports;
  for (const char* command : {"docker", "podman"})
    reports.push_back({command, find_engine(command)});
  return reports;
}

std::string engine_lines(const std::vector<EngineReport>& reports) {
  std::string text = "\nContainer engines (--backend container):\n";
  for (const EngineReport& report : reports) {
    if (!report.engine) {
      text += fmt::format("  {}: none: {}\n", report.command, report.engine.error().message());
      continue;
    }
    const EngineFacts& facts = report.engine->facts;
    const BackendCapabilities can = container_capabilities(facts, {});
    text += fmt::format("  {}: {} {} ({}), {}, cgroup v{}, runtimes {} (default {})\n",
                        report.command, name_of(facts.kind), facts.version,
                        report.engine->command.path, facts.rootless ? "rootless" : "as root",
                        facts.cgroup_version, join(facts.runtimes, ", "), facts.default_runtime);
    text += fmt::format("    memory: {}, processes: {}, cpu: {}, disk: {}, system calls {}\n",
                        name_of(can.memory), name_of(can.processes), name_of(can.cpu),
                        name_of(can.disk), facts.seccomp ? "filtered" : "not filtered");
  }
  return text;
}

json::array engines_json(const std::vector<EngineReport>& reports) {
  json::array list;
  for (const EngineReport& report : reports) {
    json::object entry{{"command", report.command}, {"ok", report.engine.has_value()}};
    if (!report.engine) {
      entry["reason"] = sanitize_utf8(report.engine.error().message());
      list.push_back(std::move(entry));
      continue;
    }
    const EngineFacts& facts = report.engine->facts;
    const BackendCapabilities can = container_capabilities(facts, {});
    entry["kind"] = name_of(facts.kind);
    entry["path"] = report.engine->command.path;
    entry["version"] = facts.version;
    entry["rootless"] = facts.rootless;
    entry["default_runtime"] = facts.default_runtime;
    entry["runtimes"] = json::value_from(facts.runtimes);
    entry["seccomp"] = facts.seccomp;
    entry["memory"] = name_of(can.memory);
    entry["processes"] = name_of(can.processes);
    entry["cpu"] = name_of(can.cpu);
    entry["disk"] = name_of(can.disk);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace cove
