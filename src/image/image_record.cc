#include "image/image_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "image/read_count.h"

namespace cove {
namespace {

json::array texts(const std::vector<std::string>& values) {
  json::array out;
  for (const std::string& value : values) out.emplace_back(sanitize_utf8(value));
  return out;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == '/' || c == ':';
}

}  // namespace

json::object encode_image_record(const ImageRecord& record) {
  return {{"id", record.id},
          {"names", texts(record.names)},
          {"layers", texts(record.layers)},
          {"os", sanitize_utf8(record.config.os)},
          {"architecture", sanitize_utf8(record.config.architecture)},
          {"created", sanitize_utf8(record.config.created)},
          {"env", texts(record.config.env)},
          {"entrypoint", texts(record.config.entrypoint)},
          {"command", texts(record.config.command)},
          {"working_directory", sanitize_utf8(record.config.working_directory)},
          {"user", sanitize_utf8(record.config.user)},
          {"bytes", record.bytes},
          {"files", record.members},
          {"skipped", record.skipped},
          {"stripped", record.stripped},
          {"imported", record.imported}};
}

Result<ImageRecord> decode_image_record(std::string_view text) {
  COVE_ASSIGN(const json::value value, parse_json(text, {.size = Bytes::mib(8)}));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  ImageRecord record;
  COVE_TRY(fields.require("id"));
  COVE_TRY(fields.read("id", record.id));
  COVE_TRY(fields.read("names", record.names));
  COVE_TRY(fields.read("layers", record.layers));
  COVE_TRY(fields.read("os", record.config.os));
  COVE_TRY(fields.read("architecture", record.config.architecture));
  COVE_TRY(fields.read("created", record.config.created));
  COVE_TRY(fields.read("env", record.config.env));
  COVE_TRY(fields.read("entrypoint", record.config.entrypoint));
  COVE_TRY(fields.read("command", record.config.command));
  COVE_TRY(fields.read("working_directory", record.config.working_directory));
  COVE_TRY(fields.read("user", record.config.user));
  COVE_TRY(read_count(fields, "bytes", record.bytes));
  COVE_TRY(read_count(fields, "files", record.members));
  COVE_TRY(read_count(fields, "skipped", record.skipped));
  COVE_TRY(read_count(fields, "stripped", record.stripped));
  COVE_TRY(fields.read("imported", record.imported));
  record.config.diff_ids = record.layers;
  return record;
}

Result<std::string> full_image_name(std::string_view name) {
  const auto slash = name.rfind('/');
  const auto last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  const auto colon = last.find(':');
  const bool sound =
      !name.empty() && name.size() <= 255 && std::ranges::all_of(name, is_name_character) &&
      name.front() != '-' && name.front() != '/' && name.front() != ':' && !last.empty() &&
      last.front() != ':' && last.back() != ':' &&
      (colon == std::string_view::npos || last.find(':', colon + 1) == std::string_view::npos);
  if (!sound) {
    return Err(Error::invalid_field(
        "name", fmt::format("must be NAME or NAME:TAG of letters, digits and . _ - /, at most 255 "
                            "characters, got {}",
                            quoted(name))));
  }
  return colon == std::string_view::npos ? fmt::format("{}:latest", name) : std::string(name);
}

}  // namespace cove
