#include "executor/container/engine_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "executor/container/run_args.h"

namespace cove {

namespace {

// What is missing or of another type counts as absent: engines differ by version.
const json::value* find(const json::object& object, std::string_view name) {
  const auto* at = object.find({name.data(), name.size()});
  return at == object.end() ? nullptr : &at->value();
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = find(object, name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : "";
}

bool is_true(const json::object& object, std::string_view name) {
  const json::value* value = find(object, name);
  return value != nullptr && value->is_bool() && value->as_bool();
}

const json::object& object_of(const json::object& object, std::string_view name) {
  static const json::object none;
  const json::value* value = find(object, name);
  return value != nullptr && value->is_object() ? value->as_object() : none;
}

bool lists(const json::object& object, std::string_view name, std::string_view start) {
  const json::value* value = find(object, name);
  if (value == nullptr || !value->is_array()) return false;
  return std::ranges::any_of(value->as_array(), [&](const json::value& entry) {
    return entry.is_string() && std::string_view(entry.as_string()).starts_with(start);
  });
}

EngineFacts docker_facts(const json::object& info) {
  EngineFacts facts;
  facts.kind = EngineKind::Docker;
  facts.version = text_of(info, "ServerVersion");
  facts.default_runtime = text_of(info, "DefaultRuntime");
  for (const auto& [name, ignored] : object_of(info, "Runtimes")) facts.runtimes.emplace_back(name);
  facts.cgroup_version = text_of(info, "CgroupVersion");
  facts.rootless = lists(info, "SecurityOptions", "name=rootless");
  facts.shifts_ids = facts.rootless || lists(info, "SecurityOptions", "name=userns");
  facts.seccomp = lists(info, "SecurityOptions", "name=seccomp");
  facts.memory_limit = is_true(info, "MemoryLimit");
  facts.process_limit = is_true(info, "PidsLimit");
  facts.cpu_limit = is_true(info, "CpuCfsQuota");
  return facts;
}

EngineFacts podman_facts(const json::object& info) {
  const json::object& host = object_of(info, "host");
  const json::object& security = object_of(host, "security");
  EngineFacts facts;
  facts.kind = EngineKind::Podman;
  facts.version = text_of(object_of(info, "version"), "Version");
  facts.default_runtime = text_of(object_of(host, "ociRuntime"), "name");
  facts.runtimes = {facts.default_runtime};
  facts.cgroup_version = text_of(host, "cgroupVersion");
  if (facts.cgroup_version.starts_with('v')) facts.cgroup_version.erase(0, 1);
  facts.rootless = is_true(security, "rootless");
  facts.shifts_ids = facts.rootless;
  facts.seccomp = is_true(security, "seccompEnabled");
  facts.memory_limit = lists(host, "cgroupControllers", "memory");
  facts.process_limit = lists(host, "cgroupControllers", "pids");
  facts.cpu_limit = lists(host, "cgroupControllers", "cpu");
  return facts;
}

Result<ContainerEngine> ask_for_facts(const std::string& command) {
  ContainerEngine engine;
  COVE_ASSIGN(engine.command.path, find_engine_command(command));
  COVE_ASSIGN(const EngineAnswer answer,
              ask_engine(engine.command.path, {"info", "--format", "{{json .}}"}));
  auto facts = parse_engine_info(answer.out);
  if (!facts || answer.exit_code != 0) {
    const std::string reason =
        answer.err.empty() && !facts ? facts.error().message() : answer.reason();
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("{}: no engine answers: {}", command, reason)));
  }
  engine.facts = std::move(*facts);
  engine.command.kind = engine.facts.kind;
  return engine;
}

void note_loosened(const ContainerOptions& options, std::vector<std::string>& notes) {
  if (!options.offline)
    notes.emplace_back("loosened: containers have a network whatever a policy says");
  if (!options.read_only_root) notes.emplace_back("loosened: the image's files are writable");
  if (!options.drop_capabilities)
    notes.emplace_back("loosened: the engine's default capabilities stay");
  if (!options.no_new_privileges)
    notes.emplace_back("loosened: set-uid programs can raise privileges");
  if (options.user != ContainerOptions{}.user) {
    notes.push_back("loosened: programs run as user " + options.user);
  }
  if (options.tmp_size != ContainerOptions{}.tmp_size) {
    notes.push_back(fmt::format("loosened: /tmp may hold {} bytes", options.tmp_size.value));
  }
  if (!options.extra_args.empty()) {
    notes.push_back("loosened: further options of the engine: " + join(options.extra_args, " "));
  }
}

}  // namespace

Result<EngineFacts> parse_engine_info(std::string_view text) {
  auto value = parse_json(text);
  if (!value || !value->is_object()) {
    return Err(Error(ErrorCode::BackendUnavailable, "its `info` is not a JSON object"));
  }
  const json::object& info = value->as_object();
  if (info.contains("host")) return podman_facts(info);
  if (text_of(info, "ServerVersion").empty()) {
    return Err(Error(ErrorCode::BackendUnavailable, "its `info` names no engine"));
  }
  return docker_facts(info);
}

Result<ContainerEngine> find_engine(const std::string& wanted) {
  if (!wanted.empty()) return ask_for_facts(wanted);
  std::vector<std::string> reasons;
  for (const char* command : {"docker", "podman"}) {
    auto engine = ask_for_facts(command);
    if (engine) return engine;
    reasons.push_back(engine.error().message());
  }
  return Err(Error(ErrorCode::BackendUnavailable,
                   "there is no container engine (" + join(reasons, "; ") +
                       "); install docker or podman, or use the backend native"));
}

BackendCapabilities container_capabilities(const EngineFacts& facts,
                                           const ContainerOptions& options) {
  const auto reach = [](bool holds) { return holds ? LimitReach::Tree : LimitReach::None; };
  const bool vouched = is_harmless_extra(options.extra_args);
  BackendCapabilities able;
  able.backend = "container";
  able.isolation = options.runtime.empty() ? "container" : "container/" + options.runtime;
  able.network = options.offline && vouched;
  able.filesystem = vouched;
  able.environment = vouched;
  able.timeout = true;
  able.memory = reach(facts.memory_limit);
  able.processes = reach(facts.process_limit);
  able.cpu = reach(facts.cpu_limit);
  able.disk = LimitReach::None;
  able.descriptors = true;
  able.output_caps = true;
  able.warm = options.pool.size > 0;
  able.notes.push_back(
      "the working directory is a directory of the host: what is written there is not limited");
  able.notes.push_back(
      "an exit code of 128 + n counts as death by signal n: engines report both alike; usage of "
      "processor and memory is not measured");
  if (facts.kind == EngineKind::Podman) {
    able.notes.push_back(
        "podman does not report out-of-memory kills: exit code 137 counts as one, that of another "
        "process than the first goes unseen");
  }
  if (!facts.memory_limit || !facts.process_limit || !facts.cpu_limit) {
    able.notes.push_back("this engine cannot limit everything: it has no such control groups");
  }
  if (!facts.seccomp) able.notes.push_back("this engine filters no system calls");
  note_loosened(options, able.notes);
  return able;
}

}  // namespace cove
