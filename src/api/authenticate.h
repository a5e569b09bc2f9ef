#pragma once
#include <string_view>

#include "api/http_message.h"
#include "base/result.h"
#include "engine/caller.h"
#include "engine/key_ring.h"

namespace cove {

// The key that a request carries: `X-Service-API-Key: K`, the same with `Bearer ` in front, or
// `Authorization: Bearer K`. Empty if there is none.
std::string_view key_of(const HttpRequest& request);

// Who asks. `open_to_all`: a server in development that has no key at all; the caller is then "dev"
// and may do everything.
Result<Caller> authenticate(const HttpRequest& request, const KeyRing& keys, bool open_to_all);

}  // namespace cove
