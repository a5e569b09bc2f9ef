#include "api/session_codec.h"

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_duration.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "engine/rfc3339.h"
#include "model/env_guard.h"
#include "model/limits_codec.h"
#include "model/names.h"
#include "model/request_codec.h"

namespace cove {

namespace {

constexpr std::size_t kMostVariables = 256;

Result<json::value> parse_optional(std::string_view body) {
  if (trim(body).empty()) return json::value(json::object());
  return parse_json(body);
}

Result<> read_env(JsonFields& fields, std::vector<std::pair<std::string, std::string>>& out) {
  const json::value* value = fields.find("env");
  if (value == nullptr) return {};
  if (!value->is_object() || value->get_object().size() > kMostVariables) {
    return fields.error("env", "must be an object of up to 256 strings");
  }
  for (const auto& variable : value->get_object()) {
    COVE_ASSIGN(std::string text,
                json_string(variable.value(), "env." + escape_file_name(variable.key())));
    out.emplace_back(variable.key(), std::move(text));
  }
  return validate_env(out, "env");
}

std::string_view state_name(SessionState state) {
  switch (state) {
    case SessionState::Idle:
      return "idle";
    case SessionState::Running:
      return "running";
    case SessionState::Gone:
      return "gone";
  }
  return "gone";
}

json::array encode_notes(const std::vector<std::string>& notes) {
  json::array out;
  for (const std::string& note : notes) out.emplace_back(sanitize_utf8(note));
  return out;
}

}  // namespace

Result<SessionOptions> decode_session(std::string_view body, const RequestGuard& guard) {
  COVE_ASSIGN(const json::value value, parse_optional(body));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  SessionOptions out;
  COVE_TRY(fields.read("profile", out.profile));
  // A profile has a language of its own; without one it is python.
  if (!out.profile.empty()) out.language.clear();
  COVE_TRY(fields.read("language", out.language));
  for (const auto& [name, given] :
       {std::pair("profile", &out.profile), std::pair("language", &out.language)}) {
    if (given->empty() && fields.find(name) != nullptr) {
      return fields.error(name, "must not be empty");
    }
  }
  COVE_ASSIGN(RequestGuard::ChosenPolicy chosen, guard.choose_policy(fields.find("policy")));
  out.policy = std::move(chosen.policy);
  out.policy_name = std::move(chosen.name);
  if (const json::value* limits = fields.find("limits")) {
    COVE_ASSIGN(out.limits, decode_limits(*limits, "limits"));
    COVE_TRY(validate_limits(out.limits, "limits"));
    COVE_TRY(guard.check_limits(out.limits, "limits"));
  }
  COVE_TRY(read_env(fields, out.env));
  COVE_ASSIGN(const std::string backend, guard.choose_backend(fields.find("backend")));
  if (!backend.empty()) {
    return fields.error("backend", "must be native: there are no sessions on other backends, got " +
                                       quoted(backend));
  }
  std::optional<std::int64_t> idle;
  COVE_TRY(fields.read("idle_timeout_s", idle));
  COVE_TRY(fields.no_others());
  const std::int64_t longest = guard.max_idle_timeout().count();
  if (idle && (*idle < 1 || *idle > longest)) {
    return fields.error("idle_timeout_s",
                        fmt::format("must be from 1 s to {} s ({}) on this server, got {} s",
                                    longest, format_duration(guard.max_idle_timeout()), *idle));
  }
  if (idle) out.idle_timeout = std::chrono::seconds(*idle);
  return out;
}

Result<Cell> decode_cell(std::string_view body) {
  COVE_ASSIGN(const json::value value, parse_json(body));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  Cell cell;
  COVE_TRY(fields.require("code"));
  COVE_TRY(fields.read("code", cell.code));
  std::optional<std::chrono::milliseconds> timeout;
  COVE_TRY(read_timeout(fields, timeout));
  COVE_TRY(fields.no_others());
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24);
  if (timeout && timeout->count() > 0) cell.timeout = std::min(*timeout, kLongest);
  return cell;
}

Result<std::string> decode_checkpoint_name(std::string_view body) {
  COVE_ASSIGN(const json::value value, parse_optional(body));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  std::string name;
  COVE_TRY(fields.read("name", name));
  COVE_TRY(fields.no_others());
  if (name.size() > 256) return fields.error("name", "must not be longer than 256 bytes");
  return name;
}

Result<std::string> decode_rollback(std::string_view body) {
  COVE_ASSIGN(const json::value value, parse_json(body));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  std::string checkpoint;
  COVE_TRY(fields.require("checkpoint"));
  COVE_TRY(fields.read("checkpoint", checkpoint));
  COVE_TRY(fields.no_others());
  return checkpoint;
}

json::object encode_session(const SessionInfo& info, std::size_t waiting) {
  json::object out{{"id", info.id},
                   {"language", sanitize_utf8(info.language)},
                   {"profile", sanitize_utf8(info.profile)},
                   {"policy", sanitize_utf8(info.policy)},
                   {"owner", sanitize_utf8(info.owner)},
                   {"state", state_name(info.state)},
                   {"family", info.family},
                   {"directory", sanitize_utf8(info.directory)},
                   {"created", format_rfc3339(info.created)},
                   {"last_used", format_rfc3339(info.last_used)},
                   {"idle_timeout_s", info.idle_timeout.count()},
                   {"cells", info.cells},
                   {"waiting", waiting},
                   {"memory_bytes", info.memory.value},
                   {"notes", encode_notes(info.notes)}};
  if (info.cell_started) {
    out["running_cell"] =
        json::object{{"count", info.cells}, {"started", format_rfc3339(*info.cell_started)}};
  }
  if (!info.parent.empty()) out["parent"] = info.parent;
  if (!info.gone_reason.empty()) out["gone_reason"] = sanitize_utf8(info.gone_reason);
  return out;
}

json::object encode_checkpoint(const CheckpointInfo& info) {
  return {{"id", info.id},
          {"name", sanitize_utf8(info.name)},
          {"created", format_rfc3339(info.created)},
          {"cells", info.cells}};
}

json::object encode_rich(const RichData& data) {
  json::object out;
  for (const auto& [mime, form] : data) out[sanitize_utf8(mime)] = sanitize_utf8(form);
  return out;
}

json::object encode_cell_result(const CellResult& result) {
  json::array displays;
  for (const RichData& display : result.displays) displays.push_back(encode_rich(display));
  json::object out{{"status", name_of(result.status)},
                   {"count", result.count},
                   {"stdout", sanitize_utf8(result.stdout_data)},
                   {"stderr", sanitize_utf8(result.stderr_data)},
                   {"stdout_truncated", result.stdout_truncated},
                   {"stderr_truncated", result.stderr_truncated},
                   {"displays", std::move(displays)},
                   {"duration_ms", static_cast<double>(result.duration.count()) / 1000.0},
                   {"state_lost", result.state_lost},
                   {"notes", encode_notes(result.notes)}};
  if (result.value) out["value"] = encode_rich(*result.value);
  if (result.error) {
    out["error"] = json::object{{"name", sanitize_utf8(result.error->name)},
                                {"value", sanitize_utf8(result.error->value)},
                                {"traceback", encode_notes(result.error->traceback)}};
  }
  return out;
}

}  // namespace cove
