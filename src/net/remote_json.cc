#include "net/remote_json.h"

namespace cove {

json::object encode_remote(const RemoteExecution& execution) {
  json::object out{{"id", execution.id},         {"state", execution.state},
                   {"caller", execution.caller}, {"language", execution.language},
                   {"policy", execution.policy}, {"created", execution.created}};
  if (!execution.started.empty()) out["started"] = execution.started;
  if (!execution.finished.empty()) out["finished"] = execution.finished;
  if (execution.status) out["status"] = *execution.status;
  if (execution.exit_code) out["exit_code"] = *execution.exit_code;
  if (execution.duration_ms) out["duration_ms"] = *execution.duration_ms;
  return out;
}

json::object encode_remote(const RemoteSession& session) {
  json::array notes;
  for (const std::string& note : session.notes) notes.emplace_back(note);
  json::object out{{"id", session.id},
                   {"language", session.language},
                   {"profile", session.profile},
                   {"policy", session.policy},
                   {"owner", session.owner},
                   {"state", session.state},
                   {"family", session.family},
                   {"directory", session.directory},
                   {"created", session.created},
                   {"last_used", session.last_used},
                   {"idle_timeout_s", session.idle_timeout.count()},
                   {"cells", session.cells},
                   {"waiting", session.waiting},
                   {"memory_bytes", session.memory.value},
                   {"notes", std::move(notes)}};
  if (!session.parent.empty()) out["parent"] = session.parent;
  if (!session.cell_started.empty()) {
    out["running_cell"] = json::object{{"count", session.cells}, {"started", session.cell_started}};
  }
  return out;
}

json::object encode_remote(const RemoteCheckpoint& checkpoint) {
  json::object out{
      {"id", checkpoint.id}, {"created", checkpoint.created}, {"cells", checkpoint.cells}};
  if (!checkpoint.name.empty()) out["name"] = checkpoint.name;
  return out;
}

json::object encode_remote(const RemoteLanguage& language) {
  json::object out{{"name", language.name},
                   {"aliases", json::value_from(language.aliases)},
                   {"usable", language.usable}};
  if (!language.version.empty()) out["version"] = language.version;
  if (!language.reason.empty()) out["reason"] = language.reason;
  return out;
}

}  // namespace cove
