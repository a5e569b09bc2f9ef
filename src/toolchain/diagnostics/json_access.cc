#include "toolchain/diagnostics/json_access.h"

#include <limits>

namespace cove {
namespace {

constexpr std::size_t kMostDepth = 1000;

}  // namespace

std::optional<json::value> parse_untrusted(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  options.allow_invalid_utf8 = true;  // it is made valid where results are written
  boost::system::error_code failed;
  auto value = json::parse({text.data(), text.size()}, failed, {}, options);
  if (failed) return std::nullopt;
  return value;
}

const json::value* value_at(const json::value& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  return object.get_object().if_contains({name.data(), name.size()});
}

std::string text_at(const json::value& object, std::string_view name) {
  const json::value* const value = value_at(object, name);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

std::uint32_t number_at(const json::value& object, std::string_view name) {
  const json::value* const value = value_at(object, name);
  if (value == nullptr || !value->is_int64()) return 0;
  const std::int64_t number = value->get_int64();
  return number < 0 || number > std::numeric_limits<std::int32_t>::max()
             ? 0
             : static_cast<std::uint32_t>(number);
}

bool bool_at(const json::value& object, std::string_view name) {
  const json::value* const value = value_at(object, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const json::array& list_at(const json::value& object, std::string_view name) {
  static const json::array none;
  const json::value* const value = value_at(object, name);
  return value != nullptr && value->is_array() ? value->get_array() : none;
}

}  // namespace cove
