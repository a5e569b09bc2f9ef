#include "model/result_codec.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "model/diagnostic_codec.h"
#include "model/names.h"
#include "model/result_fields.h"

namespace cove {
namespace {

json::array encode_files(const std::vector<OutputFile>& files) {
  json::array out;
  for (const OutputFile& file : files) {
    json::object item{{"name", sanitize_utf8(file.name)},
                      {"size", file.size.value},
                      {"mime_type", sanitize_utf8(file.mime_type)},
                      {"truncated", file.truncated}};
    if (file.content) item["content"] = base64_encode(*file.content);
    out.push_back(std::move(item));
  }
  return out;
}

json::array encode_skipped(const std::vector<SkippedFile>& files) {
  json::array out;
  for (const SkippedFile& file : files) {
    out.push_back(
        json::object{{"name", sanitize_utf8(file.name)}, {"reason", sanitize_utf8(file.reason)}});
  }
  return out;
}

Result<> read_bytes(JsonFields& fields, std::string_view name, Bytes& out) {
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read(name, number));
  if (number && *number < 0) return fields.error(name, "must not be negative");
  if (number) out = Bytes{static_cast<std::uint64_t>(*number)};
  return {};
}

Result<OutputFile> decode_file(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  OutputFile out;
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(read_bytes(fields, "size", out.size));
  COVE_TRY(fields.read("mime_type", out.mime_type));
  COVE_TRY(fields.read("truncated", out.truncated));
  std::optional<std::string> content;
  COVE_TRY(fields.read("content", content));
  if (!content) return out;
  auto bytes = base64_decode(*content);
  if (!bytes) return fields.error("content", bytes.error().message());
  out.content = std::move(*bytes);
  return out;
}

Result<SkippedFile> decode_skipped(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  SkippedFile out;
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(fields.read("reason", out.reason));
  return out;
}

Result<LimitHit> decode_limit_hit(const json::value& value, const std::string& path) {
  COVE_ASSIGN(const std::string name, json_string(value, path));
  const auto hit = from_name<LimitHit>(name);
  if (hit) return *hit;
  return Err(Error::invalid_field(path, "must be one of " + allowed_names<LimitHit>()));
}

json::object encode_usage(const Usage& usage) {
  json::object out;
  if (usage.cpu) out["cpu_ms"] = milliseconds_of(*usage.cpu);
  out["wall_ms"] = milliseconds_of(usage.wall);
  if (usage.peak_memory) out["peak_memory_bytes"] = usage.peak_memory->value;
  return out;
}

Result<> read_usage(JsonFields& fields, Usage& out) {
  const json::value* value = fields.find("usage");
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields usage, JsonFields::of(*value, "usage"));
  COVE_TRY(read_optional_time(usage, "cpu_ms", out.cpu));
  COVE_TRY(read_time(usage, "wall_ms", out.wall));
  return read_optional_bytes(usage, "peak_memory_bytes", out.peak_memory);
}

// How the program ended.
Result<> read_ending(JsonFields& fields, ExecutionResult& out) {
  std::string status;
  COVE_TRY(fields.require("status"));
  COVE_TRY(fields.read("status", status));
  const auto known = from_name<ExecutionStatus>(status);
  if (!known) {
    return fields.error("status", "must be one of " + allowed_names<ExecutionStatus>());
  }
  out.status = *known;
  std::optional<std::int64_t> exit_code;
  COVE_TRY(fields.read("exit_code", exit_code));
  if (exit_code) {
    if (!std::in_range<int>(*exit_code)) return fields.error("exit_code", "is out of range");
    out.exit_code = static_cast<int>(*exit_code);
  }
  COVE_TRY(fields.read("signal", out.signal));
  COVE_TRY(fields.read("killed", out.killed));
  COVE_TRY(fields.read("oom", out.oom));
  return read_list(fields, "limits_hit", out.limits_hit, decode_limit_hit);
}

}  // namespace

json::object encode_result(const ExecutionResult& result) {
  json::object out;
  out["status"] = name_of(result.status);
  if (result.exit_code) out["exit_code"] = *result.exit_code;
  if (result.signal) out["signal"] = sanitize_utf8(*result.signal);
  out["stdout"] = sanitize_utf8(result.stdout_data);
  out["stderr"] = sanitize_utf8(result.stderr_data);
  out["stdout_truncated"] = result.stdout_truncated;
  out["stderr_truncated"] = result.stderr_truncated;
  out["output_files"] = encode_files(result.output_files);
  out["skipped_files"] = encode_skipped(result.skipped_files);
  out["output_files_incomplete"] = result.output_files_incomplete;
  if (result.output) out["output"] = *result.output;
  if (result.display_stdout) out["display_stdout"] = sanitize_utf8(*result.display_stdout);
  out["diagnostics"] = encode_diagnostics(result.diagnostics);
  if (result.diagnostics_text) out["diagnostics_text"] = sanitize_utf8(*result.diagnostics_text);
  if (result.compile) out["compile"] = encode_compile_report(*result.compile);
  out["duration_ms"] = milliseconds_of(result.duration);
  if (result.setup) out["setup_ms"] = milliseconds_of(*result.setup);
  out["usage"] = encode_usage(result.usage);
  out["killed"] = result.killed;
  out["oom"] = result.oom;
  json::array limits_hit;
  for (const LimitHit hit : result.limits_hit) limits_hit.emplace_back(name_of(hit));
  out["limits_hit"] = std::move(limits_hit);
  out["backend"] = sanitize_utf8(result.backend);
  out["isolation"] = sanitize_utf8(result.isolation);
  out["warm"] = result.warm;
  out["execution_id"] = sanitize_utf8(result.execution_id);
  if (!result.notes.empty()) {
    json::array notes;
    for (const std::string& note : result.notes) notes.emplace_back(sanitize_utf8(note));
    out["notes"] = std::move(notes);
  }
  return out;
}

std::string encode_result_text(const ExecutionResult& result) {
  return write_json(encode_result(result));
}

Result<ExecutionResult> decode_result(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  ExecutionResult out;
  COVE_TRY(read_ending(fields, out));
  COVE_TRY(fields.read("stdout", out.stdout_data));
  COVE_TRY(fields.read("stderr", out.stderr_data));
  COVE_TRY(fields.read("stdout_truncated", out.stdout_truncated));
  COVE_TRY(fields.read("stderr_truncated", out.stderr_truncated));
  COVE_TRY(read_list(fields, "output_files", out.output_files, decode_file));
  COVE_TRY(read_list(fields, "skipped_files", out.skipped_files, decode_skipped));
  COVE_TRY(fields.read("output_files_incomplete", out.output_files_incomplete));
  if (const json::value* output = fields.find_nullable("output")) out.output = *output;
  COVE_TRY(fields.read("display_stdout", out.display_stdout));
  COVE_TRY(read_list(fields, "diagnostics", out.diagnostics, decode_diagnostic));
  COVE_TRY(fields.read("diagnostics_text", out.diagnostics_text));
  if (const json::value* compile = fields.find("compile")) {
    COVE_ASSIGN(out.compile, decode_compile_report(*compile, "compile"));
  }
  COVE_TRY(read_time(fields, "duration_ms", out.duration));
  COVE_TRY(read_optional_time(fields, "setup_ms", out.setup));
  COVE_TRY(read_usage(fields, out.usage));
  COVE_TRY(fields.read("backend", out.backend));
  COVE_TRY(fields.read("isolation", out.isolation));
  COVE_TRY(fields.read("warm", out.warm));
  COVE_TRY(fields.read("execution_id", out.execution_id));
  COVE_TRY(fields.read("notes", out.notes));
  return out;
}

Result<ExecutionResult> decode_result_text(std::string_view text) {
  COVE_ASSIGN(const json::value value, parse_json(text));
  return decode_result(value);
}

}  // namespace cove
