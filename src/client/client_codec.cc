#include "client/client_codec.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "model/limits_codec.h"
#include "model/names.h"
#include "model/policy_codec.h"
#include "model/result_codec.h"

namespace cove {

namespace {

template <class T>
using Decoder = Result<T> (*)(const json::value&);

// The objects of the array `name` in an object.
template <class T>
Result<std::vector<T>> decode_list(const json::value& value, std::string_view name,
                                   Decoder<T> decode) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  COVE_TRY(fields.require(name));
  COVE_ASSIGN(const json::array* array, json_array(*fields.find(name), std::string(name)));
  std::vector<T> out;
  for (const json::value& element : *array) {
    COVE_ASSIGN(T item, decode(element));
    out.push_back(std::move(item));
  }
  return out;
}

Result<> read_count(JsonFields& fields, std::string_view name, std::uint64_t& out) {
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read(name, number));
  if (number && *number < 0) return fields.error(name, "must not be negative");
  if (number) out = static_cast<std::uint64_t>(*number);
  return {};
}

Result<RemoteLanguage> decode_language(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, "languages"));
  RemoteLanguage out;
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(fields.read("aliases", out.aliases));
  COVE_TRY(fields.read("usable", out.usable));
  COVE_TRY(fields.read("version", out.version));
  COVE_TRY(fields.read("reason", out.reason));
  COVE_TRY(fields.read("backends", out.backends));
  return out;
}

Result<SessionFile> decode_session_file(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, "files"));
  SessionFile out;
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(read_count(fields, "size", out.size.value));
  COVE_TRY(fields.read("mime_type", out.mime_type));
  return out;
}

json::object encode_env(const std::vector<std::pair<std::string, std::string>>& env) {
  json::object out;
  for (const auto& [name, value] : env) out[name] = value;
  return out;
}

ErrorCode code_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (error_code_name(code) == name) return code;
  }
  return ErrorCode::Internal;
}

ErrorCode code_of_status(int status) {
  switch (status) {
    case 400:
      return ErrorCode::InvalidRequest;
    case 401:
      return ErrorCode::Unauthorized;
    case 403:
      return ErrorCode::Forbidden;
    case 404:
      return ErrorCode::NotFound;
    case 409:
      return ErrorCode::Conflict;
    case 410:
      return ErrorCode::Gone;
    case 413:
      return ErrorCode::TooLarge;
    case 429:
      return ErrorCode::Busy;
    case 502:
    case 503:
    case 504:
      return ErrorCode::BackendUnavailable;
    default:
      return ErrorCode::Internal;
  }
}

}  // namespace

json::object encode_request(const ExecutionRequest& request, PolicyForm policy,
                            const std::string& backend) {
  json::object out{{"code", request.code}, {"language", request.language}};
  if (!request.entry.empty()) out["entry"] = request.entry;
  if (!backend.empty()) out["backend"] = backend;
  if (!request.stdin_data.empty()) out["stdin"] = request.stdin_data;
  if (!request.args.empty()) out["args"] = json::value_from(request.args);
  if (request.input) out["input"] = *request.input;
  json::array files;
  for (const ExecFile& file : request.files) {
    json::object item{{"name", file.name}, {"content", base64_encode(file.content)}};
    if (file.mime_type) item["mime_type"] = *file.mime_type;
    files.push_back(std::move(item));
  }
  if (!files.empty()) out["files"] = std::move(files);
  if (!request.env.empty()) out["env"] = encode_env(request.env);
  if (request.timeout) out["timeout_ms"] = request.timeout->count();
  if (request.compile_timeout) out["compile_timeout_ms"] = request.compile_timeout->count();
  if (json::object limits = encode_limits(request.limits); !limits.empty()) {
    out["limits"] = std::move(limits);
  }
  if (policy == PolicyForm::ByName) out["policy"] = request.policy.name;
  if (policy == PolicyForm::Whole) out["policy"] = encode_policy(request.policy);
  if (request.truncation != TruncationStyle::Head) out["truncation"] = name_of(request.truncation);
  if (request.collect_file_contents) out["collect_file_contents"] = true;
  return out;
}

Result<> check_sendable(const ExecutionRequest& request) {
  const auto check = [](std::string_view text, std::string field) -> Result<> {
    if (is_valid_utf8(text)) return {};
    return Err(Error::invalid_field(
        std::move(field), "must be UTF-8 text to be sent to a server; put bytes into a file"));
  };
  COVE_TRY(check(request.code, "code"));
  COVE_TRY(check(request.language, "language"));
  COVE_TRY(check(request.stdin_data, "stdin"));
  for (std::size_t i = 0; i < request.args.size(); ++i) {
    COVE_TRY(check(request.args[i], fmt::format("args[{}]", i)));
  }
  for (const auto& [name, value] : request.env) {
    COVE_TRY(check(name, "env"));
    COVE_TRY(check(value, "env." + name));
  }
  for (const ExecFile& file : request.files) COVE_TRY(check(file.name, "files"));
  return {};
}

json::object encode_new_session(const NewSession& session) {
  json::object out;
  if (!session.language.empty()) out["language"] = session.language;
  if (!session.profile.empty()) out["profile"] = session.profile;
  if (!session.policy.empty()) out["policy"] = session.policy;
  if (json::object limits = encode_limits(session.limits); !limits.empty()) {
    out["limits"] = std::move(limits);
  }
  if (!session.env.empty()) out["env"] = encode_env(session.env);
  if (session.idle_timeout) out["idle_timeout_s"] = session.idle_timeout->count();
  return out;
}

json::object encode_cell(const Cell& cell) {
  json::object out{{"code", cell.code}};
  if (cell.timeout) out["timeout_ms"] = cell.timeout->count();
  return out;
}

Result<RemoteExecution> decode_execution(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  RemoteExecution out;
  COVE_TRY(fields.require("id"));
  COVE_TRY(fields.read("id", out.id));
  COVE_TRY(fields.read("state", out.state));
  COVE_TRY(fields.read("caller", out.caller));
  COVE_TRY(fields.read("language", out.language));
  COVE_TRY(fields.read("policy", out.policy));
  COVE_TRY(fields.read("created", out.created));
  COVE_TRY(fields.read("started", out.started));
  COVE_TRY(fields.read("finished", out.finished));
  COVE_TRY(fields.read("status", out.status));
  std::optional<std::int64_t> exit_code;
  COVE_TRY(fields.read("exit_code", exit_code));
  if (exit_code && !std::in_range<int>(*exit_code)) {
    return fields.error("exit_code", "is out of range");
  }
  if (exit_code) out.exit_code = static_cast<int>(*exit_code);
  COVE_TRY(fields.read("duration_ms", out.duration_ms));
  if (const json::value* result = fields.find("result")) {
    COVE_ASSIGN(out.result, decode_result(*result));
  }
  if (fields.find("error") != nullptr) out.error = decode_error(value);
  return out;
}

Result<RemoteExecutions> decode_executions(const json::value& value) {
  RemoteExecutions out;
  COVE_ASSIGN(out.executions, decode_list<RemoteExecution>(value, "executions", decode_execution));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  COVE_TRY(fields.read("next", out.next));
  return out;
}

Result<std::vector<RemoteLanguage>> decode_languages(const json::value& value) {
  return decode_list<RemoteLanguage>(value, "languages", decode_language);
}

Result<RemoteSession> decode_remote_session(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  RemoteSession out;
  COVE_TRY(fields.require("id"));
  COVE_TRY(fields.read("id", out.id));
  COVE_TRY(fields.read("language", out.language));
  COVE_TRY(fields.read("profile", out.profile));
  COVE_TRY(fields.read("policy", out.policy));
  COVE_TRY(fields.read("owner", out.owner));
  COVE_TRY(fields.read("state", out.state));
  COVE_TRY(fields.read("family", out.family));
  COVE_TRY(fields.read("parent", out.parent));
  COVE_TRY(fields.read("directory", out.directory));
  COVE_TRY(fields.read("created", out.created));
  COVE_TRY(fields.read("last_used", out.last_used));
  std::optional<std::int64_t> idle;
  COVE_TRY(fields.read("idle_timeout_s", idle));
  out.idle_timeout = std::chrono::seconds(idle.value_or(0));
  COVE_TRY(read_count(fields, "cells", out.cells));
  COVE_TRY(read_count(fields, "waiting", out.waiting));
  if (const json::value* running = fields.find("running_cell")) {
    COVE_ASSIGN(JsonFields cell, JsonFields::of(*running, "running_cell"));
    COVE_TRY(cell.read("started", out.cell_started));
  }
  COVE_TRY(read_count(fields, "memory_bytes", out.memory.value));
  COVE_TRY(fields.read("notes", out.notes));
  return out;
}

Result<std::vector<RemoteSession>> decode_remote_sessions(const json::value& value) {
  return decode_list<RemoteSession>(value, "sessions", decode_remote_session);
}

Result<RemoteCheckpoint> decode_checkpoint(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  RemoteCheckpoint out;
  COVE_TRY(fields.require("id"));
  COVE_TRY(fields.read("id", out.id));
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(fields.read("created", out.created));
  COVE_TRY(read_count(fields, "cells", out.cells));
  return out;
}

Result<std::vector<RemoteCheckpoint>> decode_checkpoints(const json::value& value) {
  return decode_list<RemoteCheckpoint>(value, "checkpoints", decode_checkpoint);
}

Result<std::vector<SessionFile>> decode_session_files(const json::value& value) {
  return decode_list<SessionFile>(value, "files", decode_session_file);
}

Error decode_error(const json::value& body) {
  const auto text_at = [](const json::object& object, std::string_view name) {
    const json::value* const value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
  };
  const json::value* const inner =
      body.is_object() ? body.get_object().if_contains("error") : nullptr;
  if (inner == nullptr || !inner->is_object()) {
    return {ErrorCode::Internal, "the server reported an error without saying which"};
  }
  const json::object& error = inner->get_object();
  const ErrorCode code = code_named(text_at(error, "code"));
  std::string message = text_at(error, "message");
  const std::string field = text_at(error, "field");
  const std::string prefix = fmt::format("field \"{}\": ", field);
  if (code == ErrorCode::InvalidRequest && !field.empty() && message.starts_with(prefix)) {
    return Error::invalid_field(field, message.substr(prefix.size()));
  }
  if (message.empty()) message = "the server gave no reason";
  return {code, std::move(message)};
}

std::string percent_encode(std::string_view text, bool keep_slashes) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain || (keep_slashes && c == '/')) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Error error_of_answer(int status, std::string_view body, std::string_view retry_after) {
  boost::system::error_code bad;
  const json::value value = json::parse(body, bad);
  const bool ours = !bad && value.is_object() && value.get_object().contains("error");
  Error error = ours ? decode_error(value)
                     : Error(code_of_status(status),
                             fmt::format("the server answered with status {}", status));
  const bool number = !retry_after.empty() && retry_after.size() < 8 &&
                      retry_after.find_first_not_of("0123456789") == std::string_view::npos;
  if (error.code() != ErrorCode::Busy || !number) return error;
  return {ErrorCode::Busy, fmt::format("{} (try again in {} s)", error.message(), retry_after)};
}

}  // namespace cove
