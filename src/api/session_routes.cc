#include "api/session_routes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/http_status.h"
#include "api/run_job.h"
#include "api/session_codec.h"
#include "api/session_guard.h"
#include "base/strings.h"
#include "model/mime_type.h"

namespace cove {

namespace {

using Services = std::shared_ptr<ApiServices>;
using CallPtr = std::shared_ptr<Call>;
using SessionHandler = void (*)(const Services&, const CallPtr&);

HttpResponse no_content() {
  HttpResponse response;
  response.status = 204;
  return response;
}

void answer_done(const CallPtr& call, const Result<>& done) {
  if (!done) return call->answer(done.error());
  call->answer(no_content());
}

// A caller's sessions are its own: others' ids are as unknown as ids that never were.
Result<SessionInfo> find_own(const Services& services, const CallPtr& call) {
  const std::string& id = call->param("id");
  COVE_ASSIGN(SessionInfo info, services->sessions->info(id));
  if (info.owner != call->caller.name && !call->caller.may(Scope::Admin)) {
    return Err(Error(ErrorCode::NotFound, "there is no session " + quoted(id)));
  }
  return info;
}

// With the calls that wait for the session: a cell that has not begun is one of them.
json::object encode(const Services& services, const SessionInfo& info) {
  const std::size_t calls = services->lines->calls(info.id);
  return encode_session(info, calls - (calls > 0 && info.cell_started ? 1 : 0));
}

// No place for another session: one becomes free when somebody deletes one or when one expires, not
// when the next execution ends.
void answer_full(const Services& services, const CallPtr& call, const Error& error) {
  if (error.code() != ErrorCode::Busy) return answer_refusal(*services, *call, error);
  services->metrics->add("cove_refusals_total", {{"reason", "sessions_full"}});
  constexpr std::chrono::seconds kLongest{3600};
  auto soonest = kLongest;
  const auto now = std::chrono::system_clock::now();
  for (const SessionInfo& info : services->sessions->list("")) {
    const auto idle = std::chrono::duration_cast<std::chrono::seconds>(now - info.last_used);
    soonest = std::min(soonest, info.idle_timeout - idle);
  }
  call->note("error", error_code_name(error.code()));
  HttpResponse response = error_response(error);
  const auto wait = std::max(soonest, std::chrono::seconds(1));
  response.with_header("Retry-After", std::to_string(wait.count()));
  call->answer(std::move(response));
}

void open_session(const Services& services, const CallPtr& call) {
  const RequestGuard guard(services->config, services->presets, call->caller.limits.policies);
  auto decoded = decode_session(call->request().body, guard);
  if (!decoded) return call->answer(decoded.error());
  if (const auto allowed = check_session(call->caller, *decoded, services->catalog); !allowed) {
    return answer_refusal(*services, *call, allowed.error());
  }
  decoded->owner = call->caller.name;
  const auto info = services->sessions->open(*decoded);
  if (!info) return answer_full(services, call, info.error());
  call->note("session_id", info->id);
  (void)services->engine->audit(call->caller.name, "session.open",
                                {{"session", info->id},
                                 {"language", info->language},
                                 {"profile", info->profile},
                                 {"policy", info->policy},
                                 {"request_id", call->request_id()}});
  HttpResponse response = json_response(201, encode(services, *info));
  response.with_header("Location", "/v1/sessions/" + info->id);
  call->answer(std::move(response));
}

void list_sessions(const Services& services, const CallPtr& call) {
  json::array list;
  const std::string_view owner =
      call->caller.may(Scope::Admin) ? std::string_view() : std::string_view(call->caller.name);
  const auto found =
      services->sessions ? services->sessions->list(owner) : std::vector<SessionInfo>();
  for (const SessionInfo& info : found) list.push_back(encode(services, info));
  call->answer_json(200, json::object{{"sessions", std::move(list)}});
}

void get_session(const Services& services, const CallPtr& call) {
  const auto info = find_own(services, call);
  if (!info) return call->answer(info.error());
  if (info->state == SessionState::Gone) {
    return call->answer(Error(ErrorCode::Gone, info->gone_reason));
  }
  call->answer_json(200, encode(services, *info));
}

void remove_session(const Services& services, const CallPtr& call) {
  (void)services->engine->audit(
      call->caller.name, "session.remove",
      {{"session", call->param("id")}, {"request_id", call->request_id()}});
  answer_done(call, services->sessions->remove(call->param("id")));
}

void interrupt_session(const Services& services, const CallPtr& call) {
  answer_done(call, services->sessions->interrupt(call->param("id")));
}

void reset_session(const Services& services, const CallPtr& call) {
  answer_done(call, services->sessions->reset(call->param("id")));
}

void fork_session(const Services& services, const CallPtr& call) {
  const auto info = services->sessions->fork(call->param("id"));
  if (!info) return answer_full(services, call, info.error());
  (void)services->engine->audit(
      call->caller.name, "session.fork",
      {{"session", info->id}, {"parent", call->param("id")}, {"request_id", call->request_id()}});
  HttpResponse response = json_response(201, encode(services, *info));
  response.with_header("Location", "/v1/sessions/" + info->id);
  call->answer(std::move(response));
}

void make_checkpoint(const Services& services, const CallPtr& call) {
  auto name = decode_checkpoint_name(call->request().body);
  if (!name) return call->answer(name.error());
  const auto made = services->sessions->checkpoint(call->param("id"), std::move(*name));
  if (!made) return answer_full(services, call, made.error());
  call->answer_json(201, encode_checkpoint(*made));
}

void list_checkpoints(const Services& services, const CallPtr& call) {
  const auto found = services->sessions->checkpoints(call->param("id"));
  if (!found) return call->answer(found.error());
  json::array list;
  for (const CheckpointInfo& info : *found) list.push_back(encode_checkpoint(info));
  call->answer_json(200, json::object{{"checkpoints", std::move(list)}});
}

void remove_checkpoint(const Services& services, const CallPtr& call) {
  answer_done(call,
              services->sessions->remove_checkpoint(call->param("id"), call->param("checkpoint")));
}

void roll_back(const Services& services, const CallPtr& call) {
  const auto checkpoint = decode_rollback(call->request().body);
  if (!checkpoint) return call->answer(checkpoint.error());
  if (const auto done = services->sessions->rollback(call->param("id"), *checkpoint); !done) {
    return call->answer(done.error());
  }
  get_session(services, call);
}

void list_files(const Services& services, const CallPtr& call) {
  const auto found = services->sessions->files(call->param("id"));
  if (!found) return call->answer(found.error());
  json::array list;
  for (const SessionFile& file : *found) {
    list.push_back(json::object{{"name", sanitize_utf8(file.name)},
                                {"size", file.size.value},
                                {"mime_type", sanitize_utf8(file.mime_type)}});
  }
  call->answer_json(200, json::object{{"files", std::move(list)}});
}

void get_file(const Services& services, const CallPtr& call) {
  auto content = services->sessions->read_file(call->param("id"), call->param("name"));
  if (!content) return call->answer(content.error());
  HttpResponse response;
  response.with_header("Content-Type", std::string(mime_type_of(call->param("name"))));
  response.with_header("Content-Disposition", "attachment");
  response.with_header("Content-Security-Policy", "sandbox");
  response.body = std::move(*content);
  call->answer(std::move(response));
}

void put_file(const Services& services, const CallPtr& call) {
  answer_done(call, services->sessions->write_file(call->param("id"), call->param("name"),
                                                   call->request().body));
}

void remove_file(const Services& services, const CallPtr& call) {
  answer_done(call, services->sessions->remove_file(call->param("id"), call->param("name")));
}

bool has_sessions(const Services& services, const CallPtr& call) {
  if (services->sessions) return true;
  call->answer(Error(ErrorCode::BackendUnavailable,
                     "there are no sessions on this server: they need the isolation level "
                     "namespaces and max_sessions above 0"));
  return false;
}

void run_on_worker(const Services& services, const CallPtr& call, std::function<void()> work) {
  if (!has_sessions(services, call)) return;
  if (services->workers->run(std::move(work))) return;
  answer_refusal(*services, *call,
                 Error(ErrorCode::Busy, "too many calls of sessions wait already"));
}

// False: the call is answered.
bool is_own(const Services& services, const CallPtr& call) {
  call->note("session_id", call->param("id"));
  const auto info = find_own(services, call);
  if (!info) call->answer(info.error());
  return info.has_value();
}

void run_if_own(const Services& services, SessionHandler handler, const CallPtr& call) {
  if (is_own(services, call)) handler(services, call);
}

// For handlers of one session: only if it is the caller's.
RouteHandler owned(const Services& services, SessionHandler handler) {
  return [services, handler](const CallPtr& call) {
    run_on_worker(services, call,
                  [services, handler, call] { run_if_own(services, handler, call); });
  };
}

// The same for one that does not wait, without a worker: it must work when others hold them all.
RouteHandler owned_at_once(const Services& services, SessionHandler handler) {
  return [services, handler](const CallPtr& call) {
    if (has_sessions(services, call)) run_if_own(services, handler, call);
  };
}

// For handlers that need the session's interpreter: after those that came before, without a thread
// until then. Only the caller's own session, so that nobody fills another's line.
RouteHandler in_line(const Services& services, SessionHandler handler) {
  return [services, handler](const CallPtr& call) {
    if (has_sessions(services, call) && is_own(services, call)) {
      wait_in_line(services, call, [services, handler, call] { handler(services, call); });
    }
  };
}

RouteHandler cell_in_line(const Services& services) {
  return [services](const CallPtr& call) {
    if (has_sessions(services, call) && is_own(services, call)) queue_cell(services, call);
  };
}

RouteHandler plain(const Services& services, SessionHandler handler) {
  return [services, handler](const CallPtr& call) {
    run_on_worker(services, call, [services, handler, call] { handler(services, call); });
  };
}

// For handlers that start something: not on a server that stops.
RouteHandler unless_stopping(const Services& services, RouteHandler handler) {
  return [services, handler = std::move(handler)](const CallPtr& call) {
    if (services->stopping) {
      return call->answer(Error(ErrorCode::BackendUnavailable, "the server is shutting down"));
    }
    handler(call);
  };
}

}  // namespace

void wait_in_line(const Services& services, const CallPtr& call, std::function<void()> run) {
  const std::string& id = call->param("id");
  // Before it joins: once it runs, leaving means something else.
  call->on_abandoned([services, id, ticket = call.get()] { services->lines->leave(id, ticket); });
  const auto left = [call] {
    call->note("client", "gone");
    call->answer(Error(ErrorCode::Conflict, "left while another call of the session ran"));
  };
  if (services->lines->join(id, {call.get(), std::move(run), left})) return;
  answer_refusal(*services, *call,
                 Error(ErrorCode::Busy, "too many calls of sessions wait already"));
}

void add_session_routes(Router& router, const Services& services) {
  const auto add = [&](std::string_view method, std::string_view pattern, RouteHandler handler,
                       std::vector<std::string_view> query = {}) {
    router.add({method, pattern, RouteAccess::Sessions, std::move(handler), std::move(query)});
  };
  add("POST", "/v1/sessions", unless_stopping(services, plain(services, open_session)));
  add("GET", "/v1/sessions", [services](const CallPtr& call) { list_sessions(services, call); });
  add("GET", "/v1/sessions/{id}", owned_at_once(services, get_session));
  add("DELETE", "/v1/sessions/{id}", owned(services, remove_session));
  add("POST", "/v1/sessions/{id}/execute", unless_stopping(services, cell_in_line(services)),
      {"stream"});
  add("POST", "/v1/sessions/{id}/interrupt", owned_at_once(services, interrupt_session));
  add("POST", "/v1/sessions/{id}/reset", unless_stopping(services, owned(services, reset_session)));
  add("POST", "/v1/sessions/{id}/fork", unless_stopping(services, in_line(services, fork_session)));
  add("POST", "/v1/sessions/{id}/checkpoints",
      unless_stopping(services, in_line(services, make_checkpoint)));
  add("GET", "/v1/sessions/{id}/checkpoints", owned(services, list_checkpoints));
  add("DELETE", "/v1/sessions/{id}/checkpoints/{checkpoint}", owned(services, remove_checkpoint));
  add("POST", "/v1/sessions/{id}/rollback",
      unless_stopping(services, in_line(services, roll_back)));
  add("GET", "/v1/sessions/{id}/files", owned(services, list_files));
  add("GET", "/v1/sessions/{id}/files/{name...}", owned(services, get_file));
  add("PUT", "/v1/sessions/{id}/files/{name...}", owned(services, put_file));
  add("DELETE", "/v1/sessions/{id}/files/{name...}", owned(services, remove_file));
}

}  // namespace cove
