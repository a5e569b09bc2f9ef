#include "api/authenticate.h"

#include <algorithm>
#include <cctype>

#include "base/strings.h"

namespace cove {

namespace {

constexpr std::string_view kKeyProtocol = "cove.key.";

// What follows "Bearer " (in any case), or nothing.
std::string_view bearer_token(std::string_view value) {
  constexpr std::string_view kScheme = "bearer ";
  if (value.size() <= kScheme.size()) return {};
  const bool matches = std::ranges::equal(value.substr(0, kScheme.size()), kScheme, {},
                                          [](unsigned char c) { return std::tolower(c); });
  return matches ? trim(value.substr(kScheme.size())) : std::string_view();
}

// "localhost:8700", "127.0.0.1", "[::1]:8700"
bool names_loopback(std::string_view host) {
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host.starts_with("127.");
}

// Without a key, the only thing between a page in somebody's browser and this server is where the
// page comes from: other origins are refused, and so are names that were made to resolve to us.
Result<> check_local_origin(const HttpRequest& request) {
  std::string_view origin = request.header("origin");
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) origin.remove_prefix(scheme.size());
  }
  const bool foreign_origin = request.has_header("origin") && !names_loopback(origin);
  const bool foreign_host = request.peer != "unix" && !names_loopback(request.header("host"));
  if (!foreign_origin && !foreign_host) return {};
  return Err(Error(ErrorCode::Forbidden,
                   "a server without a key answers only requests from this machine (Host and "
                   "Origin must name localhost); set a key to use it otherwise"));
}

}  // namespace

bool offers_subprotocol(const HttpRequest& request, std::string_view name) {
  return std::ranges::any_of(split(request.header("sec-websocket-protocol"), ','),
                             [name](std::string_view each) { return trim(each) == name; });
}

std::string_view key_of(const HttpRequest& request) {
  const std::string_view own = request.header("x-service-api-key");
  if (!own.empty()) {
    const std::string_view token = bearer_token(own);
    return token.empty() ? own : token;
  }
  const std::string_view token = bearer_token(request.header("authorization"));
  if (!token.empty() || !request.wants_upgrade) return token;
  for (const std::string_view offered : split(request.header("sec-websocket-protocol"), ',')) {
    const std::string_view name = trim(offered);
    if (name.starts_with(kKeyProtocol)) return name.substr(kKeyProtocol.size());
  }
  return {};
}

Result<Caller> authenticate(const HttpRequest& request, const KeyRing& keys, bool open_to_all) {
  if (open_to_all && keys.empty()) {
    COVE_TRY(check_local_origin(request));
    Caller caller;
    caller.name = "dev";
    caller.scopes = {Scope::Execute, Scope::Sessions, Scope::Admin};
    return caller;
  }
  const std::string_view key = key_of(request);
  if (key.empty()) {
    return Err(Error(ErrorCode::Unauthorized,
                     "a key is required: send it as X-Service-API-Key or Authorization: Bearer; a "
                     "WebSocket may send it as the subprotocol cove.key.KEY"));
  }
  return keys.authenticate(key);
}

}  // namespace cove
