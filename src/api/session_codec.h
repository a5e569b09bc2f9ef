#pragma once
#include <cstddef>
#include <string_view>

#include "api/request_guard.h"
#include "base/json.h"
#include "base/result.h"
#include "session/session.h"

namespace cove {

// {"language"?, "profile"?, "policy"?, "limits"?, "env"?, "idle_timeout_s"?, "backend"?}; an empty
// body is as {}. Only native has sessions.
Result<SessionOptions> decode_session(std::string_view body, const RequestGuard& guard);
// {"code", "timeout_ms"? or "timeout"?}
Result<Cell> decode_cell(std::string_view body);
// {"name"?}, or nothing at all
Result<std::string> decode_checkpoint_name(std::string_view body);
// {"checkpoint"}
Result<std::string> decode_rollback(std::string_view body);

// `waiting`: calls that wait for the session.
json::object encode_session(const SessionInfo& info, std::size_t waiting);
json::object encode_checkpoint(const CheckpointInfo& info);
json::object encode_cell_result(const CellResult& result);
json::object encode_rich(const RichData& data);  // {"text/plain": …, "image/png": base64}

}  // namespace cove
