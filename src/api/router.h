#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "engine/caller.h"

namespace cove {

// Who may use a route.
enum class RouteAccess : unsigned char { Open, AnyKey, Execute, Sessions, Admin };

using RouteHandler = std::function<void(const std::shared_ptr<Call>&)>;

struct Route {
  std::string_view method;
  // "/v1/executions/{id}": a parameter is one segment; "{name...}", only at the end, is the rest.
  std::string_view pattern;
  RouteAccess access = RouteAccess::AnyKey;
  RouteHandler handler;
  // That it knows; others are refused by name. The initializer lets a route leave it out.
  std::vector<std::string_view> query = {};  // NOLINT(readability-redundant-member-init)
};

struct RouteMatch {
  const Route* route = nullptr;
  std::map<std::string, std::string> params;  // decoded
  std::vector<std::string_view> allowed;      // methods, when only those would have matched
};

// The table of routes. HEAD is answered as GET.
class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  // InvalidRequest: a segment that cannot be decoded.
  Result<RouteMatch> match(std::string_view method, std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

}  // namespace cove
