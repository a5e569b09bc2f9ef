#pragma once
#include "base/json.h"
#include "client/client_types.h"

namespace cove {

// What a server told about, as the objects that --json prints: the server's own fields.
json::object encode_remote(const RemoteExecution& execution);
json::object encode_remote(const RemoteSession& session);
json::object encode_remote(const RemoteCheckpoint& checkpoint);
json::object encode_remote(const RemoteLanguage& language);

}  // namespace cove
