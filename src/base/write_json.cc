#include "base/write_json.h"

#include <cmath>

#include <fmt/format.h>

namespace cove {
namespace {

void append(std::string& out, const json::value& value);

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const std::string text = fmt::format("{}", number);  // the shortest that reads back the same
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

void append_array(std::string& out, const json::array& array) {
  out += '[';
  bool first = true;
  for (const json::value& element : array) {
    if (!first) out += ',';
    first = false;
    append(out, element);
  }
  out += ']';
}

void append_object(std::string& out, const json::object& object) {
  out += '{';
  bool first = true;
  for (const auto& field : object) {
    if (!first) out += ',';
    first = false;
    out += json::serialize(field.key());
    out += ':';
    append(out, field.value());
  }
  out += '}';
}

void append(std::string& out, const json::value& value) {
  if (value.is_object()) {
    append_object(out, value.get_object());
  } else if (value.is_array()) {
    append_array(out, value.get_array());
  } else if (value.is_double()) {
    append_double(out, value.get_double());
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::string write_json(const json::value& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace cove
