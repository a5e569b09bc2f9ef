#include "tool/tool.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

std::string field_of(const Error& error) {
  std::string_view said = error.message();
  if (!error.field().empty() || !said.starts_with(kMissingField)) return error.field();
  said.remove_prefix(kMissingField.size() + 1);  // and the quotation mark
  return std::string(said.substr(0, said.find('"')));
}

}  // namespace

json::object Tool::call(const json::value& arguments, const ToolContext& context) {
  try {
    return run(arguments, context);
  } catch (const std::exception& bug) {  // out of memory, say
    return tool_error(Error(ErrorCode::Internal, bug.what()));
  }
}

json::object describe_tool(const Tool& tool) {
  return {{"name", tool.name()},
          {"description", tool.description()},
          {"parameters", tool.parameters()},
          {"required_scopes", json::value_from(tool.required_scopes())}};
}

json::object tool_error(const Error& error) {
  const std::string message = sanitize_utf8(error.message());
  json::object inner{{"code", error_code_name(error.code())}, {"message", message}};
  if (std::string field = field_of(error); !field.empty()) inner["field"] = sanitize_utf8(field);
  return {{"status", "error"}, {"stderr", message}, {"error", std::move(inner)}};
}

Result<> require_scope(const std::vector<std::string>& granted, std::string_view needed) {
  const bool has = std::ranges::any_of(granted, [needed](std::string_view scope) {
    if (!scope.ends_with(":*")) return scope == needed;
    scope.remove_suffix(1);
    return needed.starts_with(scope);
  });
  if (has) return {};
  return Err(
      Error(ErrorCode::Forbidden, fmt::format("the scope {} is needed; granted: {}", quoted(needed),
                                              granted.empty() ? "none" : join(granted, ", "))));
}

}  // namespace cove
