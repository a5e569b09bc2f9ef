#include "base/json_fields.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace cove {
namespace {

Err wrong_type(const std::string& path, std::string_view wanted, const json::value& got) {
  return Err(Error::invalid_field(
      path, "must be " + std::string(wanted) + ", got " + std::string(json_kind_name(got))));
}

}  // namespace

std::string_view json_kind_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "an array";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

Result<std::string> json_string(const json::value& value, const std::string& path) {
  if (!value.is_string()) return wrong_type(path, "a string", value);
  const json::string& text = value.get_string();
  return std::string(text.data(), text.size());
}

Result<std::int64_t> json_integer(const json::value& value, const std::string& path) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) {
    if (!std::in_range<std::int64_t>(value.get_uint64())) {
      return Err(Error::invalid_field(path, "is too large"));
    }
    return static_cast<std::int64_t>(value.get_uint64());
  }
  if (value.is_double()) return Err(Error::invalid_field(path, "must be a whole number"));
  return wrong_type(path, "a whole number", value);
}

Result<const json::array*> json_array(const json::value& value, const std::string& path) {
  if (!value.is_array()) return wrong_type(path, "an array", value);
  return &value.get_array();
}

Result<JsonFields> JsonFields::of(const json::value& value, std::string path) {
  if (value.is_object()) return JsonFields(value.get_object(), std::move(path));
  if (!path.empty()) return wrong_type(path, "an object", value);
  return Err(Error(ErrorCode::InvalidRequest,
                   "must be a JSON object, got " + std::string(json_kind_name(value))));
}

const json::value* JsonFields::find_nullable(std::string_view name) {
  known_.emplace_back(name);
  return object_->if_contains(name);
}

const json::value* JsonFields::find(std::string_view name) {
  const json::value* value = find_nullable(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<> JsonFields::read(std::string_view name, std::string& out) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  COVE_ASSIGN(out, json_string(*value, path_of(name)));
  return {};
}

Result<> JsonFields::read(std::string_view name, std::optional<std::string>& out) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  COVE_ASSIGN(out, json_string(*value, path_of(name)));
  return {};
}

Result<> JsonFields::read(std::string_view name, bool& out) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_bool()) return wrong_type(path_of(name), "true or false", *value);
  out = value->get_bool();
  return {};
}

Result<> JsonFields::read(std::string_view name, std::vector<std::string>& out) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  const std::string path = path_of(name);
  COVE_ASSIGN(const json::array* array, json_array(*value, path));
  std::vector<std::string> strings;
  strings.reserve(array->size());
  for (const json::value& element : *array) {
    COVE_ASSIGN(auto text, json_string(element, path + "[" + std::to_string(strings.size()) + "]"));
    strings.push_back(std::move(text));
  }
  out = std::move(strings);
  return {};
}

Result<> JsonFields::read(std::string_view name, std::optional<std::int64_t>& out) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  COVE_ASSIGN(out, json_integer(*value, path_of(name)));
  return {};
}

Result<> JsonFields::read(std::string_view name, std::optional<double>& out) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_number()) return wrong_type(path_of(name), "a number", *value);
  out = value->to_number<double>();
  return {};
}

Result<> JsonFields::require(std::string_view name) {
  if (find(name) != nullptr) return {};
  // Which other fields are known is not known yet; a misspelt one is among those that are there.
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> given;
  for (const auto& field : *object_) {
    if (given.size() == kMostShown) break;
    const std::string_view key(field.key().data(), field.key().size());
    if (key != name) given.push_back(quoted(key));
  }
  return error(name, given.empty() ? std::string("is required")
                                   : "is required; given: " + join(given, ", "));
}

Result<> JsonFields::no_others() const {
  for (const auto& field : *object_) {
    const std::string_view name(field.key().data(), field.key().size());
    if (std::ranges::find(known_, name) != known_.end()) continue;
    std::vector<std::string> allowed = known_;
    std::ranges::sort(allowed);
    const auto repeated = std::ranges::unique(allowed);
    allowed.erase(repeated.begin(), repeated.end());
    return error(escape_file_name(name.substr(0, utf8_cut(name, 100))),
                 "is not known here; allowed: " + join(allowed, ", "));
  }
  return {};
}

std::string JsonFields::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

Err JsonFields::error(std::string_view name, std::string_view problem) const {
  return Err(Error::invalid_field(path_of(name), problem));
}

}  // namespace cove
