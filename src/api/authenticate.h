#pragma once
#include <string_view>

#include "api/http_message.h"
#include "base/result.h"
#include "engine/caller.h"
#include "engine/key_ring.h"

namespace cove {

// The key that a request carries: `X-Service-API-Key: K`, the same with `Bearer ` in front, or
// `Authorization: Bearer K`. A WebSocket handshake may carry it as the subprotocol `cove.key.K`: a
// page in a browser can set no header there. Empty if there is none.
std::string_view key_of(const HttpRequest& request);

// Whether a WebSocket handshake offers this subprotocol.
bool offers_subprotocol(const HttpRequest& request, std::string_view name);

// The subprotocol that is chosen when it is offered: a browser hangs up on a server that chooses
// none of those that it offers.
inline constexpr std::string_view kSubprotocol = "cove";

// Who asks. `open_to_all`: a server in development that has no key at all; the caller is then "dev"
// and may do everything.
Result<Caller> authenticate(const HttpRequest& request, const KeyRing& keys, bool open_to_all);

}  // namespace cove
