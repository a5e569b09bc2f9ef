#include "api/router.h"

#include "api/http_message.h"
#include "base/strings.h"

namespace cove {

namespace {

std::string_view without_braces(std::string_view segment) {
  return segment.substr(1, segment.size() - 2);
}

// Absent: another path. The parameters, still encoded, if it is this one.
std::optional<std::vector<std::pair<std::string_view, std::string_view>>> match_pattern(
    std::string_view pattern, std::string_view path) {
  std::vector<std::pair<std::string_view, std::string_view>> params;
  while (!pattern.empty()) {
    if (path.empty()) return std::nullopt;
    const std::string_view wanted = pattern.substr(1, pattern.find('/', 1) - 1);
    if (wanted.ends_with("...}")) {
      const std::string_view name = without_braces(wanted);
      if (path.size() < 2) return std::nullopt;
      params.emplace_back(name.substr(0, name.size() - 3), path.substr(1));
      return params;
    }
    const std::string_view given = path.substr(1, path.find('/', 1) - 1);
    if (wanted.starts_with('{')) {
      if (given.empty()) return std::nullopt;
      params.emplace_back(without_braces(wanted), given);
    } else if (wanted != given) {
      return std::nullopt;
    }
    pattern.remove_prefix(1 + wanted.size());
    path.remove_prefix(1 + given.size());
  }
  if (!path.empty()) return std::nullopt;
  return params;
}

}  // namespace

Result<RouteMatch> Router::match(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? std::string_view("GET") : method;
  RouteMatch out;
  for (const Route& route : routes_) {
    const auto params = match_pattern(route.pattern, path);
    if (!params) continue;
    if (route.method != wanted) {
      out.allowed.push_back(route.method);
      continue;
    }
    out.route = &route;
    for (const auto& [name, value] : *params) {
      COVE_ASSIGN(out.params[std::string(name)], percent_decode(value));
    }
    return out;
  }
  return out;
}

}  // namespace cove
