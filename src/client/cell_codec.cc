// What a cell of a session came to, read back.
#include <cmath>

#include "base/json_fields.h"
#include "client/client_codec.h"
#include "model/names.h"

namespace cove {

namespace {

Result<> read_displays(JsonFields& fields, std::vector<RichData>& out) {
  const json::value* const value = fields.find("displays");
  if (value == nullptr) return {};
  COVE_ASSIGN(const json::array* array, json_array(*value, "displays"));
  for (const json::value& element : *array) {
    COVE_ASSIGN(RichData data, decode_rich(element));
    out.push_back(std::move(data));
  }
  return {};
}

Result<> read_error(JsonFields& fields, std::optional<CellError>& out) {
  const json::value* const value = fields.find("error");
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields error, JsonFields::of(*value, "error"));
  CellError read;
  COVE_TRY(error.read("name", read.name));
  COVE_TRY(error.read("value", read.value));
  COVE_TRY(error.read("traceback", read.traceback));
  out = std::move(read);
  return {};
}

}  // namespace

Result<RichData> decode_rich(const json::value& value) {
  if (!value.is_object()) return Err(Error::invalid_field("data", "must be an object of strings"));
  RichData out;
  for (const auto& form : value.get_object()) {
    COVE_ASSIGN(std::string text, json_string(form.value(), "data"));
    out.emplace_back(form.key(), std::move(text));
  }
  return out;
}

Result<CellResult> decode_cell_result(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  CellResult out;
  std::string status;
  COVE_TRY(fields.require("status"));
  COVE_TRY(fields.read("status", status));
  const auto known = from_name<ExecutionStatus>(status);
  if (!known) return fields.error("status", "must be one of " + allowed_names<ExecutionStatus>());
  out.status = *known;
  COVE_TRY(fields.read("stdout", out.stdout_data));
  COVE_TRY(fields.read("stderr", out.stderr_data));
  COVE_TRY(fields.read("stdout_truncated", out.stdout_truncated));
  COVE_TRY(fields.read("stderr_truncated", out.stderr_truncated));
  COVE_TRY(read_displays(fields, out.displays));
  if (const json::value* shown = fields.find("value")) {
    COVE_ASSIGN(out.value, decode_rich(*shown));
  }
  COVE_TRY(read_error(fields, out.error));
  std::optional<std::int64_t> count;
  COVE_TRY(fields.read("count", count));
  out.count = static_cast<std::uint64_t>(std::max<std::int64_t>(count.value_or(0), 0));
  std::optional<double> duration;
  COVE_TRY(fields.read("duration_ms", duration));
  if (duration && !(*duration >= 0 && *duration < 1e15)) {
    return fields.error("duration_ms", "is out of range");
  }
  out.duration = std::chrono::microseconds(std::llround(duration.value_or(0) * 1000.0));
  COVE_TRY(fields.read("state_lost", out.state_lost));
  COVE_TRY(fields.read("notes", out.notes));
  return out;
}

}  // namespace cove
