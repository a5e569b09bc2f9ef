#include "model/policy_codec.h"

#include <chrono>
#include <optional>

#include "base/json_fields.h"
#include "base/parse_duration.h"
#include "base/strings.h"
#include "model/file_name.h"
#include "model/limits_codec.h"
#include "model/names.h"

namespace cove {
namespace {

constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24);

// The `kind` of an aspect, which is either a plain name or an object that has one.
template <class Kind>
Result<Kind> decode_kind(const json::value& value, const std::string& path) {
  COVE_ASSIGN(const std::string name, json_string(value, path));
  const auto kind = from_name<Kind>(name);
  if (kind) return *kind;
  return Err(Error::invalid_field(
      path, "must be one of " + allowed_names<Kind>() + ", got " + quoted(name)));
}

Result<NetworkPolicy> decode_network(const json::value& value, const std::string& path) {
  return decode_kind<NetworkPolicy>(value, path);
}

Result<FilesystemPolicy> decode_filesystem(const json::value& value, const std::string& path) {
  FilesystemPolicy out;
  if (!value.is_object()) {
    COVE_ASSIGN(out.kind, decode_kind<FilesystemPolicy::Kind>(value, path));
    return out;
  }
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  COVE_TRY(fields.require("kind"));
  COVE_ASSIGN(out.kind,
              decode_kind<FilesystemPolicy::Kind>(*fields.find("kind"), fields.path_of("kind")));
  // Only the fields of this kind are known, so that nothing is written down in vain.
  switch (out.kind) {
    case FilesystemPolicy::Kind::WorkspaceReadOnly:
    case FilesystemPolicy::Kind::WorkspaceReadWrite:
      COVE_TRY(fields.read("root", out.root));
      break;
    case FilesystemPolicy::Kind::Paths:
      COVE_TRY(fields.read("read_only", out.read_only));
      COVE_TRY(fields.read("read_write", out.read_write));
      break;
    case FilesystemPolicy::Kind::None:
    case FilesystemPolicy::Kind::Unrestricted:
      break;
  }
  COVE_TRY(fields.no_others());
  return out;
}

Result<EnvironmentPolicy> decode_environment(const json::value& value, const std::string& path) {
  EnvironmentPolicy out;
  if (!value.is_object()) {
    COVE_ASSIGN(out.kind, decode_kind<EnvironmentPolicy::Kind>(value, path));
    return out;
  }
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  COVE_TRY(fields.require("kind"));
  COVE_ASSIGN(out.kind,
              decode_kind<EnvironmentPolicy::Kind>(*fields.find("kind"), fields.path_of("kind")));
  if (out.kind == EnvironmentPolicy::Kind::AllowList) COVE_TRY(fields.read("names", out.names));
  COVE_TRY(fields.no_others());
  return out;
}

// A host path that a policy grants: absolute and already in its simplest form, so that what a
// reader of the policy sees is what is mounted.
Result<> check_host_path(const std::string& text, const std::string& path) {
  if (text.empty() || text.front() != '/') {
    return Err(Error::invalid_field(path, "must be an absolute path, got " + quoted(text)));
  }
  if (text == "/") return Err(Error::invalid_field(path, "must not be the whole file system"));
  return validate_file_name(std::string_view(text).substr(1), path);
}

Result<> check_filesystem(const FilesystemPolicy& policy, const std::string& path) {
  if (policy.kind == FilesystemPolicy::Kind::WorkspaceReadOnly ||
      policy.kind == FilesystemPolicy::Kind::WorkspaceReadWrite) {
    return check_host_path(policy.root, path + ".root");
  }
  if (policy.kind != FilesystemPolicy::Kind::Paths) return {};
  if (policy.read_only.empty() && policy.read_write.empty()) {
    return Err(Error::invalid_field(
        path,
        "kind \"paths\" needs \"read_only\" or \"read_write\"; to show no path use \"none\""));
  }
  std::size_t index = 0;
  for (const std::string& item : policy.read_only) {
    COVE_TRY(check_host_path(item, path + ".read_only[" + std::to_string(index++) + "]"));
  }
  index = 0;
  for (const std::string& item : policy.read_write) {
    COVE_TRY(check_host_path(item, path + ".read_write[" + std::to_string(index++) + "]"));
  }
  return {};
}

Result<> check_environment(const EnvironmentPolicy& policy, const std::string& path) {
  std::size_t index = 0;
  for (const std::string& name : policy.names) {
    const std::string at = path + ".names[" + std::to_string(index++) + "]";
    if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      return Err(Error::invalid_field(at, "must be the name of a variable, got " + quoted(name)));
    }
  }
  return {};
}

template <class Kind>
bool is_plain(Kind kind) {
  return kind == Kind::None || kind == Kind::Unrestricted;
}

json::array to_array(const std::vector<std::string>& strings) {
  json::array out;
  for (const std::string& text : strings) out.emplace_back(sanitize_utf8(text));
  return out;
}

json::value encode_filesystem(const FilesystemPolicy& policy) {
  if (is_plain(policy.kind)) return json::value(name_of(policy.kind));
  json::object out{{"kind", name_of(policy.kind)}};
  if (policy.kind == FilesystemPolicy::Kind::Paths) {
    out["read_only"] = to_array(policy.read_only);
    out["read_write"] = to_array(policy.read_write);
  } else {
    out["root"] = sanitize_utf8(policy.root);
  }
  return out;
}

json::value encode_environment(const EnvironmentPolicy& policy) {
  if (is_plain(policy.kind)) return json::value(name_of(policy.kind));
  return json::object{{"kind", name_of(policy.kind)}, {"names", to_array(policy.names)}};
}

Result<> read_timeout(JsonFields& fields, std::chrono::milliseconds& out) {
  std::optional<std::string> text;
  COVE_TRY(fields.read("timeout", text));
  if (!text) return {};
  auto duration = parse_duration(*text);
  if (!duration) return fields.error("timeout", duration.error().message());
  out = *duration;
  return {};
}

}  // namespace

Result<SandboxPolicy> decode_policy(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  SandboxPolicy out;
  out.name = "custom";
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(fields.read("description", out.description));
  if (const json::value* network = fields.find("network")) {
    COVE_ASSIGN(out.network, decode_network(*network, fields.path_of("network")));
  }
  if (const json::value* filesystem = fields.find("filesystem")) {
    COVE_ASSIGN(out.filesystem, decode_filesystem(*filesystem, fields.path_of("filesystem")));
  }
  if (const json::value* environment = fields.find("environment")) {
    COVE_ASSIGN(out.environment, decode_environment(*environment, fields.path_of("environment")));
  }
  COVE_TRY(read_timeout(fields, out.timeout));
  if (const json::value* limits = fields.find("limits")) {
    COVE_ASSIGN(out.limits, decode_limits(*limits, fields.path_of("limits")));
  }
  COVE_TRY(fields.read("working_directory", out.working_directory));
  COVE_TRY(fields.no_others());
  COVE_TRY(validate_policy_values(out, path));
  return out;
}

json::object encode_policy(const SandboxPolicy& policy) {
  json::object out;
  out["name"] = sanitize_utf8(policy.name);
  if (!policy.description.empty()) out["description"] = sanitize_utf8(policy.description);
  out["network"] = name_of(policy.network);
  out["filesystem"] = encode_filesystem(policy.filesystem);
  out["environment"] = encode_environment(policy.environment);
  out["timeout"] = std::to_string(policy.timeout.count()) + "ms";
  json::object limits = encode_limits(policy.limits);
  if (!limits.empty()) out["limits"] = std::move(limits);
  if (policy.working_directory) out["working_directory"] = sanitize_utf8(*policy.working_directory);
  return out;
}

Result<> validate_policy_values(const SandboxPolicy& policy, const std::string& path) {
  const auto at = [&](std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  };
  COVE_TRY(check_filesystem(policy.filesystem, at("filesystem")));
  COVE_TRY(check_environment(policy.environment, at("environment")));
  if (policy.timeout < std::chrono::milliseconds(1) || policy.timeout > kLongestTimeout) {
    return Err(Error::invalid_field(
        at("timeout"), "must be between 1 ms and 24 h, got " + format_duration(policy.timeout)));
  }
  COVE_TRY(validate_limits(policy.limits, at("limits")));
  if (policy.working_directory) {
    COVE_TRY(validate_file_name(*policy.working_directory, at("working_directory")));
  }
  return {};
}

}  // namespace cove
