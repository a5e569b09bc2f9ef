// The part of Client that speaks of sessions.
#include <fmt/format.h>

#include "base/write_json.h"
#include "client/client.h"
#include "client/client_codec.h"
#include "client/client_stream.h"
#include "http/http_transport.h"

namespace cove {

namespace {

constexpr std::string_view kJson = "application/json";

std::string session_path(std::string_view id) {
  return "/v1/sessions/" + percent_encode(id);
}

std::string file_path(std::string_view id, std::string_view name) {
  return session_path(id) + "/files/" + percent_encode(name, true);
}

}  // namespace

Result<RemoteSession> Client::open_session(const NewSession& session) {
  const std::string body = write_json(encode_new_session(session));
  HttpCall out = call("POST", "/v1/sessions");
  out.content_type = kJson;
  out.body = body;
  COVE_ASSIGN(const json::value value, send_json(out));
  return decode_remote_session(value);
}

Result<RemoteSession> Client::session(std::string_view id) {
  COVE_ASSIGN(const json::value value, get(session_path(id)));
  return decode_remote_session(value);
}

Result<std::vector<RemoteSession>> Client::sessions() {
  COVE_ASSIGN(const json::value value, get("/v1/sessions"));
  return decode_remote_sessions(value);
}

Result<> Client::remove_session(std::string_view id) {
  return remove(session_path(id));
}

Result<CellResult> Client::execute_cell(std::string_view id, const Cell& cell,
                                        const RemoteContext& context) {
  ExecutionRequest text;
  text.code = cell.code;
  COVE_TRY(check_sendable(text));
  const std::string body = write_json(encode_cell(cell));
  HttpCall out = call("POST", session_path(id) + "/execute?stream=ndjson");
  out.content_type = kJson;
  out.body = body;
  // Hanging up ends this cell and no other; an interrupt could hit the one in front of it.
  Stream how;
  auto value = stream(std::move(out), context, how);
  if (!value && context.cancel.stop_requested()) {
    CellResult cancelled;  // it went before it could say more
    cancelled.status = ExecutionStatus::Cancelled;
    return cancelled;
  }
  if (!value) return Err(std::move(value).error());
  return decode_cell_result(*value);
}

Result<> Client::interrupt(std::string_view id) {
  return post(session_path(id) + "/interrupt");
}

Result<> Client::reset(std::string_view id) {
  return post(session_path(id) + "/reset");
}

Result<RemoteSession> Client::fork(std::string_view id) {
  COVE_ASSIGN(const json::value value, send_json(call("POST", session_path(id) + "/fork")));
  return decode_remote_session(value);
}

Result<RemoteCheckpoint> Client::checkpoint(std::string_view id, std::string_view name) {
  json::object about;
  if (!name.empty()) about["name"] = name;
  const std::string body = write_json(about);
  HttpCall out = call("POST", session_path(id) + "/checkpoints");
  out.content_type = kJson;
  out.body = body;
  COVE_ASSIGN(const json::value value, send_json(out));
  return decode_checkpoint(value);
}

Result<std::vector<RemoteCheckpoint>> Client::checkpoints(std::string_view id) {
  COVE_ASSIGN(const json::value value, get(session_path(id) + "/checkpoints"));
  return decode_checkpoints(value);
}

Result<RemoteSession> Client::rollback(std::string_view id, std::string_view checkpoint) {
  const std::string body = write_json(json::object{{"checkpoint", checkpoint}});
  HttpCall out = call("POST", session_path(id) + "/rollback");
  out.content_type = kJson;
  out.body = body;
  COVE_ASSIGN(const json::value value, send_json(out));
  return decode_remote_session(value);
}

Result<> Client::remove_checkpoint(std::string_view id, std::string_view checkpoint) {
  return remove(session_path(id) + "/checkpoints/" + percent_encode(checkpoint));
}

Result<std::vector<SessionFile>> Client::session_files(std::string_view id) {
  COVE_ASSIGN(const json::value value, get(session_path(id) + "/files"));
  return decode_session_files(value);
}

Result<RemoteFile> Client::read_session_file(std::string_view id, std::string_view name) {
  return get_file(file_path(id, name));
}

Result<> Client::write_session_file(std::string_view id, std::string_view name,
                                    std::string_view content) {
  HttpCall out = call("PUT", file_path(id, name));
  out.content_type = "application/octet-stream";
  out.body = content;
  COVE_TRY(send(out));
  return {};
}

Result<> Client::remove_session_file(std::string_view id, std::string_view name) {
  return remove(file_path(id, name));
}

}  // namespace cove
