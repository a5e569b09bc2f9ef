#include "api/submission_codec.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "model/request_codec.h"

namespace cove {

namespace {

// The server decides these; taking them in silence would let a caller believe otherwise.
Result<> refuse_server_fields(const json::value& body) {
  if (!body.is_object()) return {};  // the codec says so better
  for (const std::string_view name : {"identity", "execution_id"}) {
    if (body.get_object().contains(name)) {
      return Err(
          Error::invalid_field(std::string(name), "is set by the server and cannot be given here"));
    }
  }
  return {};
}

Result<ExecFile> decode_sidecar_file(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  ExecFile file;
  std::string encoding = "utf8";
  COVE_TRY(fields.require("name"));
  COVE_TRY(fields.read("name", file.name));
  COVE_TRY(fields.require("content"));
  COVE_TRY(fields.read("content", file.content));
  COVE_TRY(fields.read("encoding", encoding));
  COVE_TRY(fields.read("mime_type", file.mime_type));
  COVE_TRY(fields.no_others());
  if (file.name.find_first_of("/\\") != std::string::npos) {
    return fields.error("name",
                        "must be a plain file name without a path, got " + quoted(file.name));
  }
  if (encoding == "utf8") return file;
  if (encoding != "base64") {
    return fields.error("encoding", "must be utf8 or base64, got " + quoted(encoding));
  }
  auto bytes = base64_decode(file.content);
  if (!bytes) return fields.error("content", bytes.error().message());
  file.content = std::move(*bytes);
  return file;
}

Result<std::vector<ExecFile>> decode_sidecar_files(const json::value* value) {
  std::vector<ExecFile> files;
  if (value == nullptr || value->is_null()) return files;
  COVE_ASSIGN(const json::array* array, json_array(*value, "files"));
  const std::size_t most = RequestSizeLimits().files;
  if (array->size() > most) {
    return Err(Error::invalid_field(
        "files", fmt::format("must not have more than {} entries, got {}", most, array->size())));
  }
  for (const json::value& element : *array) {
    COVE_ASSIGN(auto file, decode_sidecar_file(element, fmt::format("files[{}]", files.size())));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<json::value> parse_body(std::string_view body) {
  if (trim(body).empty()) {
    return Err(Error(ErrorCode::InvalidRequest, "the body is empty; a JSON object is needed"));
  }
  JsonParseLimits limits;
  limits.depth = RequestSizeLimits().json_depth;
  return parse_json(body, limits);
}

Result<DecodedSubmission> decode_submission_value(const json::value& body,
                                                  const RequestGuard& guard) {
  COVE_TRY(refuse_server_fields(body));
  const json::value* const policy =
      body.is_object() ? body.get_object().if_contains("policy") : nullptr;
  COVE_ASSIGN(RequestGuard::ChosenPolicy chosen, guard.choose_policy(policy));
  const PresetResolver resolver = [&chosen](std::string_view) -> Result<SandboxPolicy> {
    return chosen.policy;
  };
  DecodedSubmission out;
  COVE_ASSIGN(
      out.backend,
      guard.choose_backend(body.is_object() ? body.get_object().if_contains("backend") : nullptr));
  RequestSizeLimits sizes;
  sizes.backend = true;
  sizes.labels = false;  // and so they are not among the fields that an error calls allowed
  COVE_ASSIGN(out.request, decode_request_value(body, resolver, sizes));
  COVE_TRY(guard.check_limits(out.request.limits, "limits"));
  out.request.policy = std::move(chosen.policy);
  out.policy_name = std::move(chosen.name);
  out.notes = std::move(chosen.notes);
  return out;
}

Result<DecodedSubmission> decode_submission(std::string_view body, const RequestGuard& guard) {
  COVE_ASSIGN(const json::value value, parse_body(body));
  return decode_submission_value(value, guard);
}

Result<DecodedSubmission> decode_sidecar_submission(std::string_view body,
                                                    const RequestGuard& guard) {
  COVE_ASSIGN(json::value value, parse_body(body));
  std::vector<ExecFile> files;
  if (value.is_object()) {
    json::object& object = value.get_object();
    COVE_ASSIGN(files, decode_sidecar_files(object.if_contains("files")));
    object.erase("files");
    COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
    std::optional<std::int64_t> timeout;
    COVE_TRY(fields.read("timeout_ms", timeout));
    constexpr std::int64_t kLongest = 24LL * 3'600'000;  // the codec's; the server clamps to less
    if (timeout && *timeout <= 0) object.erase("timeout_ms");
    if (timeout && *timeout > kLongest) object["timeout_ms"] = kLongest;
  }
  COVE_ASSIGN(DecodedSubmission out, decode_submission_value(value, guard));
  out.request.files = std::move(files);
  COVE_TRY(validate_request_values(out.request));
  return out;
}

}  // namespace cove
