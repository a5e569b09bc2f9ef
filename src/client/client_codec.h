#pragma once
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "client/client_types.h"
#include "model/execution_request.h"
#include "session/session.h"

namespace cove {

// Requests and answers of the API as the client sees them. Fields that a newer server may add are
// ignored; what is read must have the right type, since nothing that arrives is trusted.
json::object encode_request(const ExecutionRequest& request, PolicyForm policy,
                            const std::string& backend = "");
// Code, stdin, arguments and variables travel as JSON text: bytes that are no UTF-8 are refused, by
// name of the field. Contents of files are not touched by this.
Result<> check_sendable(const ExecutionRequest& request);
json::object encode_new_session(const NewSession& session);
json::object encode_cell(const Cell& cell);

Result<RemoteExecution> decode_execution(const json::value& value);
Result<RemoteExecutions> decode_executions(const json::value& value);
Result<std::vector<RemoteLanguage>> decode_languages(const json::value& value);
Result<RemoteSession> decode_remote_session(const json::value& value);
Result<std::vector<RemoteSession>> decode_remote_sessions(const json::value& value);
Result<RemoteCheckpoint> decode_checkpoint(const json::value& value);
Result<std::vector<RemoteCheckpoint>> decode_checkpoints(const json::value& value);
Result<std::vector<SessionFile>> decode_session_files(const json::value& value);
Result<CellResult> decode_cell_result(const json::value& value);
Result<RichData> decode_rich(const json::value& value);

// The error in {"error": {"code", "message", "field"?}}.
Error decode_error(const json::value& body);
// What an answer with an error status says, whatever its body is.
Error error_of_answer(int status, std::string_view body, std::string_view retry_after);

// A segment of a path: everything but letters, digits and "-._~" becomes %XX; with `keep_slashes`
// those stay, as in the name of a file.
std::string percent_encode(std::string_view text, bool keep_slashes = false);

}  // namespace cove
