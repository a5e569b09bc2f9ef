#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace cove {

// "array of strings", "number", …: what a value is, for messages.
std::string_view json_kind_name(const json::value& value);

// Reads the fields of one JSON object, strictly. Every error names the field by its whole path
// ("files[2].content"). A field that is absent or null leaves its target as it was. Call
// no_others() once all known fields were asked for. Does not own the object.
class JsonFields {
 public:
  // `path` is where the object stands: empty at the top.
  static Result<JsonFields> of(const json::value& value, std::string path);

  // The field's value, or nullptr when it is absent or null.
  const json::value* find(std::string_view name);
  // As find(), but null counts as a value.
  const json::value* find_nullable(std::string_view name);

  Result<> read(std::string_view name, std::string& out);
  Result<> read(std::string_view name, std::optional<std::string>& out);
  Result<> read(std::string_view name, bool& out);
  Result<> read(std::string_view name, std::vector<std::string>& out);
  Result<> read(std::string_view name, std::optional<std::int64_t>& out);  // whole numbers
  Result<> read(std::string_view name, std::optional<double>& out);

  Result<> require(std::string_view name);
  // Refuses fields that nobody asked for, and says which ones there are.
  Result<> no_others() const;

  std::string path_of(std::string_view name) const;
  Err error(std::string_view name, std::string_view problem) const;

 private:
  JsonFields(const json::object& object, std::string path)
      : object_(&object), path_(std::move(path)) {}

  const json::object* object_;
  std::string path_;
  std::vector<std::string> known_;
};

// The same for single values: "must be a string, got a number".
Result<std::string> json_string(const json::value& value, const std::string& path);
Result<std::int64_t> json_integer(const json::value& value, const std::string& path);
Result<const json::array*> json_array(const json::value& value, const std::string& path);

}  // namespace cove
