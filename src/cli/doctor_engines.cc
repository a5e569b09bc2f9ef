#include "cli/doctor_engines.h"

#include <fmt/format.h>

#include "base/parse_json.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "cli/net_commands.h"
#include "executor/container/engine_command.h"
#include "image/image_store.h"
#include "model/names.h"

namespace cove {

namespace {

json::object failure(const Error& error) {
  return {{"ok", false}, {"reason", sanitize_utf8(error.message())}};
}

// It comes from a program of ours; what it lacks is shown as "?".
std::string text_of(const json::object& report, std::string_view name) {
  const json::value* const found = report.if_contains(name);
  if (found == nullptr || !found->is_string()) return "?";
  return escape_file_name(std::string_view(found->get_string()));
}

bool is_ok(const json::object& report) {
  const json::value* const ok = report.if_contains("ok");
  return ok != nullptr && ok->is_bool() && ok->get_bool();
}

Result<json::object> ask_net() {
  COVE_ASSIGN(const std::string path, find_net_command());
  COVE_ASSIGN(const EngineAnswer answer,
              ask_engine(path, {"docker-facts"}, std::chrono::seconds(30)));
  if (answer.exit_code != 0) return Err(Error(ErrorCode::BackendUnavailable, answer.reason()));
  COVE_ASSIGN(json::value said, parse_json(answer.out));
  if (!said.is_object()) return Err(Error(ErrorCode::Internal, "cove-net gave no JSON object"));
  return std::move(said.get_object());
}

}  // namespace

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

json::object examine_docker() {
  auto found = ask_net();
  return found ? std::move(*found) : failure(found.error());
}

std::string docker_lines(const json::object& report) {
  std::string text = "\nDocker Engine API (--backend docker):\n";
  if (!is_ok(report)) return text + fmt::format("  none: {}\n", text_of(report, "reason"));
  text += fmt::format("  {}: Docker {}, runtime {} (default)\n", text_of(report, "host"),
                      text_of(report, "version"), text_of(report, "runtime"));
  text += fmt::format(
      "    memory: {}, processes: {}, cpu: {}, disk: {}; settled when a container starts\n",
      text_of(report, "memory"), text_of(report, "processes"), text_of(report, "cpu"),
      text_of(report, "disk"));
  return text;
}

json::object examine_images() {
  const auto store = ImageStore::of_user();
  if (!store) return failure(store.error());
  json::array list;
  for (const ImageRecord& record : store->list()) {
    list.push_back(json::object{{"id", sanitize_utf8(record.id)},
                                {"names", json::value_from(record.names)},
                                {"bytes", record.bytes}});
  }
  return {
      {"ok", true}, {"directory", sanitize_utf8(store->directory())}, {"images", std::move(list)}};
}

std::string image_lines(const json::object& report) {
  std::string text = "\nStored images (--backend image:NAME):\n";
  if (!is_ok(report)) return text + fmt::format("  none: {}\n", text_of(report, "reason"));
  const json::array& images = report.at("images").get_array();
  if (images.empty()) {
    return text + fmt::format("  none in {}; to get one: docker save NAME | cove image import -\n",
                              text_of(report, "directory"));
  }
  for (const json::value& each : images) {
    const json::object& image = each.get_object();
    std::vector<std::string> names;
    for (const json::value& name : image.at("names").get_array()) {
      names.push_back(escape_file_name(std::string_view(name.get_string())));
    }
    text += fmt::format("  {}: {}, {}\n", join(names, ", "), text_of(image, "id").substr(0, 12),
                        format_size(Bytes{image.at("bytes").to_number<std::uint64_t>()}));
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
