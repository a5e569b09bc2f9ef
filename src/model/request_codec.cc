#include "model/request_codec.h"

#include <chrono>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json_fields.h"
#include "base/parse_duration.h"
#include "base/parse_json.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "model/env_guard.h"
#include "model/file_name.h"
#include "model/limits_codec.h"
#include "model/names.h"
#include "model/policy_codec.h"

namespace cove {
namespace {

constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24);
constexpr std::size_t kLongestLabel = 256;  // execution_id, identity, language

Result<ExecFile> decode_file(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  ExecFile file;
  COVE_TRY(fields.require("name"));
  COVE_TRY(fields.read("name", file.name));
  COVE_TRY(fields.require("content"));
  const json::value& content = *fields.find("content");
  if (!content.is_string()) {
    return fields.error("content", "must be a string, got " + std::string(json_kind_name(content)));
  }
  std::string encoding = "base64";
  COVE_TRY(fields.read("encoding", encoding));
  if (encoding != "base64" && encoding != "utf8") {
    return fields.error("encoding", "must be utf8 or base64, got " + quoted(encoding));
  }
  // Decoded in place: a copy of the encoded text would double what a large file takes.
  const json::string& text = content.get_string();
  if (encoding == "utf8") {
    file.content.assign(text.data(), text.size());
  } else {
    auto bytes = base64_decode({text.data(), text.size()});
    if (!bytes) {
      return fields.error("content",
                          bytes.error().message() + "; text needs \"encoding\": \"utf8\"");
    }
    file.content = std::move(*bytes);
  }
  COVE_TRY(fields.read("mime_type", file.mime_type));
  COVE_TRY(fields.no_others());
  return file;
}

Result<> read_files(JsonFields& fields, const RequestSizeLimits& limits,
                    std::vector<ExecFile>& out) {
  const json::value* value = fields.find("files");
  if (value == nullptr) return {};
  COVE_ASSIGN(const json::array* array, json_array(*value, "files"));
  if (array->size() > limits.files) {
    return fields.error("files", fmt::format("must not have more than {} entries, got {}",
                                             limits.files, array->size()));
  }
  out.reserve(array->size());
  for (const json::value& element : *array) {
    COVE_ASSIGN(auto file, decode_file(element, fmt::format("files[{}]", out.size())));
    out.push_back(std::move(file));
  }
  return {};
}

Result<> read_env(JsonFields& fields, std::vector<std::pair<std::string, std::string>>& out) {
  const json::value* value = fields.find("env");
  if (value == nullptr) return {};
  if (!value->is_object()) {
    return fields.error("env",
                        "must be an object of strings, got " + std::string(json_kind_name(*value)));
  }
  for (const auto& variable : value->get_object()) {
    std::string name(variable.key().data(), variable.key().size());
    const std::string path = "env." + escape_file_name(name.substr(0, utf8_cut(name, 100)));
    COVE_ASSIGN(auto text, json_string(variable.value(), path));
    out.emplace_back(std::move(name), std::move(text));
  }
  return {};
}

Result<> read_policy(JsonFields& fields, const PresetResolver& presets, SandboxPolicy& out) {
  const json::value* value = fields.find("policy");
  if (value == nullptr) return {};
  if (value->is_object()) {
    COVE_ASSIGN(out, decode_policy(*value, "policy"));
    return {};
  }
  if (!value->is_string()) {
    return fields.error("policy", "must be the name of a preset or an object, got " +
                                      std::string(json_kind_name(*value)));
  }
  if (!presets) return fields.error("policy", "presets are not available here; give an object");
  const json::string& name = value->get_string();
  auto policy = presets({name.data(), name.size()});
  if (!policy) return fields.error("policy", policy.error().message());
  out = std::move(*policy);
  return {};
}

Result<> read_truncation(JsonFields& fields, TruncationStyle& out) {
  std::optional<std::string> name;
  COVE_TRY(fields.read("truncation", name));
  if (!name) return {};
  const auto style = from_name<TruncationStyle>(*name);
  if (!style) {
    return fields.error("truncation", "must be one of " + allowed_names<TruncationStyle>() +
                                          ", got " + quoted(*name));
  }
  out = *style;
  return {};
}

Err too_large(std::string field, Bytes limit, std::uint64_t got) {
  return Err(Error::invalid_field(
      std::move(field),
      fmt::format("must not be larger than {}, got {}", format_size(limit), format_size({got}))));
}

Result<> check_label(const std::string& text, std::string field) {
  if (text.size() > kLongestLabel) return too_large(std::move(field), {kLongestLabel}, text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      return Err(Error::invalid_field(std::move(field), "must not contain control characters"));
    }
  }
  return {};
}

Result<> check_timeout(const std::optional<std::chrono::milliseconds>& timeout, std::string field) {
  if (!timeout || (*timeout >= std::chrono::milliseconds(1) && *timeout <= kLongestTimeout)) {
    return {};
  }
  return Err(Error::invalid_field(
      std::move(field), "must be between 1 ms and 24 h, got " + format_duration(*timeout)));
}

Result<> check_args(const std::vector<std::string>& args, const RequestSizeLimits& limits) {
  if (args.size() > limits.args) {
    return Err(Error::invalid_field(
        "args",
        fmt::format("must not have more than {} entries, got {}", limits.args, args.size())));
  }
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    total += args[i].size() + 1;
    if (args[i].find('\0') == std::string::npos) continue;
    return Err(Error::invalid_field(fmt::format("args[{}]", i), "must not contain a NUL byte"));
  }
  if (total > limits.args_total.value) return too_large("args", limits.args_total, total);
  return {};
}

Result<> check_files(const std::vector<ExecFile>& files, const RequestSizeLimits& limits) {
  if (files.size() > limits.files) {
    return Err(Error::invalid_field(
        "files",
        fmt::format("must not have more than {} entries, got {}", limits.files, files.size())));
  }
  std::uint64_t total = 0;
  for (const ExecFile& file : files) total += file.content.size();
  if (total > limits.files_total.value) return too_large("files", limits.files_total, total);
  return validate_file_names(files, "files");
}

Result<> check_env(const ExecutionRequest& request, const RequestSizeLimits& limits) {
  if (request.env.size() > limits.env) {
    return Err(Error::invalid_field("env", fmt::format("must not have more than {} entries, got {}",
                                                       limits.env, request.env.size())));
  }
  std::uint64_t total = 0;
  for (const auto& [name, value] : request.env) total += name.size() + value.size() + 2;
  if (total > limits.env_total.value) return too_large("env", limits.env_total, total);
  return validate_env(request.env, "env");
}

}  // namespace

Result<> read_timeout(JsonFields& fields, std::optional<std::chrono::milliseconds>& out,
                      const std::string& name) {
  const std::string in_ms = name + "_ms";
  std::optional<std::int64_t> number;
  std::optional<std::string> text;
  COVE_TRY(fields.read(in_ms, number));
  if (const json::value* value = fields.find(name); value != nullptr && !value->is_string()) {
    return fields.error(name, "must be a string such as \"10s\"; for a number use " + in_ms);
  }
  COVE_TRY(fields.read(name, text));
  if (number && text) return fields.error(name, "must not be given together with " + in_ms);
  if (number) out = std::chrono::milliseconds(*number);
  if (!text) return {};
  auto duration = parse_duration(*text);
  if (!duration) return fields.error(name, duration.error().message());
  out = *duration;
  return {};
}

Result<ExecutionRequest> decode_request(std::string_view text, const PresetResolver& presets,
                                        const RequestSizeLimits& limits) {
  JsonParseLimits parse_limits;
  parse_limits.size = limits.total;
  parse_limits.depth = limits.json_depth;
  COVE_ASSIGN(const json::value value, parse_json(text, parse_limits));
  return decode_request_value(value, presets, limits);
}

Result<ExecutionRequest> decode_request_value(const json::value& value,
                                              const PresetResolver& presets,
                                              const RequestSizeLimits& limits) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  ExecutionRequest out;
  COVE_TRY(fields.require("code"));
  COVE_TRY(fields.read("code", out.code));
  COVE_TRY(fields.read("entry", out.entry));
  COVE_TRY(fields.read("language", out.language));
  COVE_TRY(fields.read("stdin", out.stdin_data));
  COVE_TRY(fields.read("args", out.args));
  if (const json::value* input = fields.find_nullable("input")) out.input = *input;
  COVE_TRY(read_files(fields, limits, out.files));
  COVE_TRY(read_env(fields, out.env));
  COVE_TRY(read_timeout(fields, out.timeout));
  COVE_TRY(read_timeout(fields, out.compile_timeout, "compile_timeout"));
  if (const json::value* asked = fields.find("limits")) {
    COVE_ASSIGN(out.limits, decode_limits(*asked, "limits"));
  }
  COVE_TRY(read_policy(fields, presets, out.policy));
  COVE_TRY(read_truncation(fields, out.truncation));
  COVE_TRY(fields.read("collect_file_contents", out.collect_file_contents));
  if (limits.backend) (void)fields.find("backend");
  if (limits.labels) {
    COVE_TRY(fields.read("execution_id", out.execution_id));
    COVE_TRY(fields.read("identity", out.identity));
  }
  COVE_TRY(fields.no_others());
  COVE_TRY(validate_request_values(out, limits));
  return out;
}

Result<> validate_request_values(const ExecutionRequest& request, const RequestSizeLimits& limits) {
  if (request.code.size() > limits.code.value) {
    return too_large("code", limits.code, request.code.size());
  }
  if (!request.entry.empty()) COVE_TRY(validate_file_name(request.entry, "entry"));
  if (request.language.empty()) {
    return Err(Error::invalid_field("language", "must not be empty"));
  }
  COVE_TRY(check_label(request.language, "language"));
  if (request.stdin_data.size() > limits.stdin_bytes.value) {
    return too_large("stdin", limits.stdin_bytes, request.stdin_data.size());
  }
  COVE_TRY(check_args(request.args, limits));
  COVE_TRY(check_files(request.files, limits));
  COVE_TRY(check_env(request, limits));
  COVE_TRY(check_timeout(request.timeout, "timeout_ms"));
  COVE_TRY(check_timeout(request.compile_timeout, "compile_timeout_ms"));
  COVE_TRY(validate_limits(request.limits, "limits"));
  COVE_TRY(validate_policy_values(request.policy, "policy"));
  COVE_TRY(check_label(request.execution_id, "execution_id"));
  COVE_TRY(check_label(request.identity, "identity"));
  return {};
}

}  // namespace cove
