#include "model/limits_codec.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "base/json_fields.h"
#include "base/parse_size.h"
#include "model/names.h"

namespace cove {
namespace {

// A size is a number of bytes or a text with a unit.
Result<> read_size(JsonFields& fields, std::string_view name, std::optional<Bytes>& out) {
  const json::value* value = fields.find(name);
  if (value == nullptr) return {};
  if (value->is_string()) {
    const json::string& text = value->get_string();
    auto size = parse_size({text.data(), text.size()});
    if (!size) return fields.error(name, size.error().message());
    out = *size;
    return {};
  }
  if (!value->is_number()) {
    return fields.error(name, "must be a number of bytes or a size such as \"256m\", got " +
                                  std::string(json_kind_name(*value)));
  }
  COVE_ASSIGN(const std::int64_t bytes, json_integer(*value, fields.path_of(name)));
  if (bytes < 0) return fields.error(name, "must not be negative, got " + std::to_string(bytes));
  out = Bytes{static_cast<std::uint64_t>(bytes)};
  return {};
}

Result<> read_count(JsonFields& fields, std::string_view name, std::optional<std::uint32_t>& out) {
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read(name, number));
  if (!number) return {};
  if (*number < 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    return fields.error(name, "is out of range, got " + std::to_string(*number));
  }
  out = static_cast<std::uint32_t>(*number);
  return {};
}

Result<> read_scope(JsonFields& fields, std::optional<LimitScope>& out) {
  std::optional<std::string> scope;
  COVE_TRY(fields.read("scope", scope));
  if (!scope) return {};
  out = from_name<LimitScope>(*scope);
  if (!out) return fields.error("scope", "must be one of " + allowed_names<LimitScope>());
  return {};
}

}  // namespace

Result<Limits> decode_limits(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  Limits out;
  std::optional<std::int64_t> cpu_time_ms;
  COVE_TRY(read_size(fields, "memory", out.memory));
  COVE_TRY(fields.read("cpus", out.cpus));
  COVE_TRY(fields.read("cpu_time_ms", cpu_time_ms));
  if (cpu_time_ms) out.cpu_time = std::chrono::milliseconds(*cpu_time_ms);
  COVE_TRY(read_count(fields, "processes", out.processes));
  COVE_TRY(read_size(fields, "disk", out.disk));
  COVE_TRY(read_count(fields, "inodes", out.inodes));
  COVE_TRY(read_count(fields, "descriptors", out.descriptors));
  COVE_TRY(read_size(fields, "stdout_bytes", out.stdout_bytes));
  COVE_TRY(read_size(fields, "stderr_bytes", out.stderr_bytes));
  COVE_TRY(read_scope(fields, out.scope));
  COVE_TRY(fields.no_others());
  COVE_TRY(validate_limits(out, path));
  return out;
}

json::object encode_limits(const Limits& limits) {
  json::object out;
  if (limits.memory) out["memory"] = limits.memory->value;
  if (limits.cpus) out["cpus"] = *limits.cpus;
  if (limits.cpu_time) out["cpu_time_ms"] = limits.cpu_time->count();
  if (limits.processes) out["processes"] = *limits.processes;
  if (limits.disk) out["disk"] = limits.disk->value;
  if (limits.inodes) out["inodes"] = *limits.inodes;
  if (limits.descriptors) out["descriptors"] = *limits.descriptors;
  if (limits.stdout_bytes) out["stdout_bytes"] = limits.stdout_bytes->value;
  if (limits.stderr_bytes) out["stderr_bytes"] = limits.stderr_bytes->value;
  if (limits.scope) out["scope"] = name_of(*limits.scope);
  return out;
}

}  // namespace cove
