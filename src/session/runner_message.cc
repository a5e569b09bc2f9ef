#include "session/runner_message.h"

#include "base/json_fields.h"
#include "base/parse_json.h"

namespace cove {
namespace {

constexpr std::size_t kMaxForms = 16;  // of one displayed value
constexpr std::size_t kMaxMimeType = 100;
constexpr std::size_t kMaxTraceback = 500;  // lines
constexpr std::size_t kMaxThreads = 100;

bool is_mime_type(std::string_view text) {
  if (text.empty() || text.size() > kMaxMimeType || text.find('/') == std::string_view::npos) {
    return false;
  }
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789/+-.;=_") ==
         std::string_view::npos;
}

Result<RichData> rich_data(const json::value& value, const std::string& path) {
  if (!value.is_object()) return Err(Error::invalid_field(path, "must be an object"));
  RichData out;
  for (const auto& field : value.get_object()) {
    const std::string name(field.key());
    if (!is_mime_type(name)) return Err(Error::invalid_field(path, "has a key that is no type"));
    if (out.size() >= kMaxForms) return Err(Error::invalid_field(path, "has too many forms"));
    COVE_ASSIGN(auto text, json_string(field.value(), path));
    out.emplace_back(name, std::move(text));
  }
  return out;
}

Result<std::optional<RichData>> optional_data(JsonFields& fields, std::string_view name) {
  const json::value* value = fields.find(name);
  if (value == nullptr) return std::nullopt;
  COVE_ASSIGN(auto data, rich_data(*value, std::string(name)));
  return data;
}

Result<std::optional<CellError>> cell_error(JsonFields& outer) {
  const json::value* value = outer.find("error");
  if (value == nullptr) return std::nullopt;
  COVE_ASSIGN(auto fields, JsonFields::of(*value, "error"));
  CellError error;
  COVE_TRY(fields.read("name", error.name));
  COVE_TRY(fields.read("value", error.value));
  COVE_TRY(fields.read("traceback", error.traceback));
  COVE_TRY(fields.no_others());
  if (error.traceback.size() > kMaxTraceback) error.traceback.resize(kMaxTraceback);
  return error;
}

Result<RunnerMessage> done(JsonFields& fields) {
  RunnerDone out;
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read("number", number));
  COVE_TRY(fields.read("ok", out.ok));
  COVE_ASSIGN(out.value, optional_data(fields, "value"));
  COVE_ASSIGN(out.error, cell_error(fields));
  COVE_TRY(fields.no_others());
  out.number = static_cast<std::uint64_t>(number.value_or(0));
  return out;
}

Result<RunnerMessage> forked(JsonFields& fields) {
  RunnerForked out;
  COVE_TRY(fields.read("threads", out.lost_threads));
  COVE_TRY(fields.no_others());
  if (out.lost_threads.size() > kMaxThreads) out.lost_threads.resize(kMaxThreads);
  return out;
}

}  // namespace

Result<RunnerMessage> parse_runner_message(std::string_view text) {
  JsonParseLimits limits;
  limits.depth = 8;
  limits.values = 4096;
  COVE_ASSIGN(const auto value, parse_json(text, limits));
  COVE_ASSIGN(auto fields, JsonFields::of(value, ""));
  std::string kind;
  COVE_TRY(fields.read("type", kind));
  if (kind == "done") return done(fields);
  if (kind == "forked") return forked(fields);
  if (kind == "display") {
    COVE_TRY(fields.require("data"));
    COVE_ASSIGN(auto data, rich_data(*fields.find("data"), "data"));
    COVE_TRY(fields.no_others());
    return RunnerDisplay{std::move(data)};
  }
  if (kind == "refused") {
    RunnerRefused refused;
    COVE_TRY(fields.read("reason", refused.reason));
    COVE_TRY(fields.no_others());
    return refused;
  }
  COVE_TRY(fields.no_others());
  if (kind == "ready") return RunnerReady{};
  if (kind == "started") return RunnerStarted{};
  return Err(
      Error::invalid_field("type", "must be ready, started, display, done, forked or refused"));
}

}  // namespace cove
