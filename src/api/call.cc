#include "api/call.h"

#include <utility>

#include "api/authenticate.h"
#include "api/http_status.h"
#include "base/strings.h"

namespace cove {

namespace {

constexpr std::size_t kLongestLoggedPath = 200;
const std::string kNothing;

}  // namespace

void declare_http_metrics(Metrics& metrics) {
  metrics.declare_counter("cove_http_requests_total", "HTTP requests by route, method and status");
  metrics.declare_gauge("cove_http_connections", "Open connections");
  metrics.declare_gauge("cove_sessions_live", "Sessions that are open");
  metrics.declare_gauge("cove_session_cells_running", "Cells that run or wait for their turn");
  metrics.declare_counter("cove_session_cells_total", "Cells that are over, by status");
  metrics.declare_histogram(
      "cove_http_request_seconds", "Time from a request to the end of its answer",
      {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60});
}

void add_common_headers(HttpResponse& response, std::string_view request_id) {
  response.with_header("X-Request-Id", std::string(request_id));
  response.with_header("X-Content-Type-Options", "nosniff");
  response.with_header("Cache-Control", "no-store");
}

Call::Call(Context context)
    : context_(std::move(context)), start_(std::chrono::steady_clock::now()) {}

Call::~Call() {
  bool unanswered = false;
  {
    const std::lock_guard lock(mutex_);
    unanswered = !concluded_ && status_ == 0;
  }
  // A route that lost its call is a bug, but its client need not wait for ever.
  if (unanswered) answer(Error(ErrorCode::Internal, "the request was not answered"));
  conclude(status_, "incomplete");
}

const std::string& Call::param(const std::string& name) const {
  const auto found = params.find(name);
  return found == params.end() ? kNothing : found->second;
}

HttpResponse Call::decorated(HttpResponse response) const {
  add_common_headers(response, context_.request_id);
  return response;
}

void Call::answer(HttpResponse response) {
  const int status = response.status;
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
    bytes_ += response.body.size();
  }
  // Before the answer leaves: who reads it finds the line in the log.
  conclude(status, "");
  context_.exchange->send(decorated(std::move(response)));
}

void Call::answer(const Error& error) {
  note("error", error_code_name(error.code()));
  if (http_status(error.code()) >= 500) note("message", error.message());
  answer(error_response(error));
}

void Call::answer_json(int status, const json::value& value) {
  answer(json_response(status, value));
}

void Call::start_stream(std::string_view content_type) {
  {
    const std::lock_guard lock(mutex_);
    status_ = 200;
  }
  context_.exchange->start_stream(decorated(HttpResponse::text(200, "", content_type)));
}

bool Call::write(std::string piece, bool must_keep) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ += piece.size();
  }
  return context_.exchange->write(std::move(piece), must_keep);
}

void Call::finish() {
  conclude(200, "");
  context_.exchange->finish();
}

void Call::on_abandoned(std::function<void()> callback) {
  context_.exchange->on_abandoned(std::move(callback));
}

void Call::upgrade(std::shared_ptr<WebSocketHandler> handler) {
  conclude(101, "");
  HeaderList headers{{"X-Request-Id", context_.request_id}};
  if (offers_subprotocol(request(), kSubprotocol)) {
    headers.emplace_back("Sec-WebSocket-Protocol", kSubprotocol);
  }
  context_.exchange->upgrade(std::move(handler), std::move(headers));
}

void Call::note(std::string_view name, std::string_view value) {
  const std::lock_guard lock(mutex_);
  notes_[name] = sanitize_utf8(value);
}

void Call::conclude(int status, std::string_view end) {
  json::object line;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(concluded_, true)) return;
    status_ = status;
    const HttpRequest& request = *context_.request;
    const std::string_view path = request.path;
    line["request_id"] = context_.request_id;
    if (!context_.traceparent.empty()) line["traceparent"] = context_.traceparent;
    line["method"] = sanitize_utf8(request.method);
    line["path"] = escape_file_name(path.substr(0, utf8_cut(path, kLongestLoggedPath)));
    line["status"] = status;
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took);
    line["duration_ms"] = static_cast<double>(micros.count()) / 1000.0;
    line["bytes_in"] = request.body.size();
    line["bytes_out"] = bytes_;
    line["peer"] = request.peer;
    if (!caller.name.empty()) line["caller"] = sanitize_utf8(caller.name);
    if (!end.empty()) line["end"] = end;
    for (auto& fact : notes_) line[fact.key()] = std::move(fact.value());
  }
  context_.metrics->add("cove_http_requests_total", {{"route", std::string(context_.route)},
                                                     {"method", context_.request->method},
                                                     {"status", std::to_string(status)}});
  context_.metrics->observe("cove_http_request_seconds", {{"route", std::string(context_.route)}},
                            took.count());
  context_.log->write(status >= 500 ? "error" : "info", "request", std::move(line));
}

}  // namespace cove
