#include "api/execution_socket.h"

#include <atomic>
#include <utility>

#include "api/http_status.h"
#include "api/output_feed.h"
#include "api/request_guard.h"
#include "api/socket_messages.h"
#include "api/streaming_watcher.h"
#include "api/submission_codec.h"
#include "base/strings.h"
#include "base/write_json.h"

namespace cove {

namespace {

using Services = std::shared_ptr<ApiServices>;

// Messages of a client, while a program runs, that are no messages; one more ends it all.
constexpr int kMostMistakes = 15;

// One run on a socket, shared between its watcher and the socket.
class SocketRun final : public JobWatcher {
 public:
  explicit SocketRun(std::shared_ptr<WebSocketPeer> peer)
      : live(std::make_shared<LiveInput>()),
        peer_(std::move(peer)),
        feed_([target = peer_.get()](const json::object& event, bool must_keep) {
          return target->send_text(write_json(event), must_keep);
        }) {}

  void open(const std::string& id) { feed_.open(started_event(id)); }
  void on_diagnostics(const std::vector<Diagnostic>& diagnostics) override {
    feed_.event(diagnostics_event(diagnostics));
  }
  void on_notice(std::string_view message) override { feed_.event(notice_event(message)); }
  void on_output(OutputStream stream, std::string_view bytes) override {
    feed_.output(stream, bytes);
  }
  void on_end(const JobRecord& record) override {
    feed_.open(started_event(record.id));
    // Before the last event: who has read it may start the next run at once.
    ended = true;
    feed_.close(end_event(record));
  }

  const std::shared_ptr<LiveInput> live;
  std::atomic<bool> ended{false};

 private:
  std::shared_ptr<WebSocketPeer> peer_;
  OutputFeed feed_;
};

class ExecutionSocket final : public WebSocketHandler {
 public:
  ExecutionSocket(Services services, Caller caller, std::string request_id, std::string traceparent)
      : services_(std::move(services)),
        caller_(std::move(caller)),
        request_id_(std::move(request_id)),
        traceparent_(std::move(traceparent)) {}

  void on_open(std::shared_ptr<WebSocketPeer> peer) override { peer_ = std::move(peer); }

  void on_message(std::string_view message, bool is_text) override {
    if (!is_text) return feed(std::string(message));
    auto decoded = decode_socket_message(message);
    if (!decoded) {
      // A slip must not cost a running program. Whoever sends nothing else has lost its way.
      if (running() && ++mistakes_ <= kMostMistakes) return refuse(decoded.error());
      tell(decoded.error());
      cancel();  // it need not wait for the client's own goodbye
      peer_->close(kWsPolicy, decoded.error().message());
      return;
    }
    std::visit([this](auto& each) { take(each); }, *decoded);
  }

  // The client is gone: so is its program.
  void on_gone() override { cancel(); }

 private:
  bool running() const { return run_ && !run_->ended; }

  // Nothing will come of what was asked for.
  void tell(const Error& error) { peer_->send_text(write_json(error_event(error)), true); }
  // This message was not taken; all else goes on.
  void refuse(const Error& error) { peer_->send_text(write_json(refused_event(error)), true); }

  bool require_run(std::string_view what) {
    if (running()) return true;
    // It may have ended while the message was on its way: that is nobody's mistake.
    if (!run_) refuse(Error(ErrorCode::Conflict, std::string(what) + ": nothing was started yet"));
    return false;
  }

  void take(SocketStart& start) {
    if (running()) {
      return refuse(Error(ErrorCode::Conflict, "start: the last execution still runs"));
    }
    const RequestGuard guard(services_->config, services_->presets, caller_.limits.policies);
    auto decoded = decode_submission_value(start.request, guard);
    if (!decoded) return tell(decoded.error());
    auto run = std::make_shared<SocketRun>(peer_);
    Submission submission;
    submission.request = std::move(decoded->request);
    submission.request.identity = caller_.name;
    submission.backend = std::move(decoded->backend);
    submission.policy_name = std::move(decoded->policy_name);
    submission.notes = std::move(decoded->notes);
    submission.caller = caller_;
    submission.request_id = request_id_;
    submission.traceparent = traceparent_;
    submission.live = run->live;
    submission.terminal = start.terminal;
    auto id = services_->engine->submit(std::move(submission), run);
    if (!id) return tell(id.error());
    id_ = *id;
    run_ = std::move(run);
    run_->open(id_);
  }

  void take(SocketStdin& input) { feed(std::move(input.bytes)); }
  void take(const SocketCloseStdin& /*close*/) {
    if (require_run("close_stdin")) run_->live->close();
  }
  void take(const SocketCancel& /*cancel*/) {
    if (require_run("cancel")) cancel();
  }
  void take(const SocketSignal& signal) {
    if (require_run("signal")) run_->live->send_signal(signal.number);
  }
  void take(const SocketResize& resize) {
    if (require_run("resize")) run_->live->resize(resize.size);
  }

  void feed(std::string bytes) {
    if (!require_run("stdin") || run_->live->write(bytes)) return;
    refuse(
        Error(ErrorCode::TooLarge, "stdin: the program does not read; these bytes were not taken"));
  }

  void cancel() {
    if (running()) (void)services_->engine->cancel(id_);
  }

  Services services_;
  Caller caller_;
  std::string request_id_;
  std::string traceparent_;
  std::shared_ptr<WebSocketPeer> peer_;
  std::shared_ptr<SocketRun> run_;
  std::string id_;
  int mistakes_ = 0;
};

void open_socket(const Services& services, const std::shared_ptr<Call>& call) {
  if (!call->request().wants_upgrade) {
    HttpResponse response = error_response(
        Error(ErrorCode::InvalidRequest, "this is a WebSocket: send an upgrade request"));
    response.status = 426;
    response.with_header("Upgrade", "websocket");
    return call->answer(std::move(response));
  }
  if (call->request().header("sec-websocket-version") != "13" ||
      call->request().header("sec-websocket-key").empty()) {
    return call->answer(Error(ErrorCode::InvalidRequest,
                              "the WebSocket handshake needs Sec-WebSocket-Key and version 13"));
  }
  call->upgrade(std::make_shared<ExecutionSocket>(services, call->caller, call->request_id(),
                                                  call->traceparent()));
}

}  // namespace

void add_execution_socket(Router& router, const Services& services) {
  router.add({"GET", "/v1/executions/ws", RouteAccess::Execute,
              [services](const std::shared_ptr<Call>& call) { open_socket(services, call); }});
}

}  // namespace cove
