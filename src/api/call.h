#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/http_handler.h"
#include "api/json_log.h"
#include "base/result.h"
#include "engine/caller.h"
#include "engine/metrics.h"

namespace cove {

// One request in the hands of a route: who asks, what the path said, and the way to answer. Writes
// the request's one line of the log when it is over, whatever way that is. Thread-safe.
class Call {
 public:
  struct Context {
    std::shared_ptr<const HttpRequest> request;
    std::shared_ptr<HttpExchange> exchange;
    std::shared_ptr<JsonLog> log;
    std::shared_ptr<Metrics> metrics;
    std::string_view route;  // the pattern: a label of the metrics
    std::string request_id;
    std::string traceparent;
  };
  explicit Call(Context context);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const HttpRequest& request() const { return *context_.request; }
  const std::string& request_id() const { return context_.request_id; }
  const std::string& traceparent() const { return context_.traceparent; }
  const std::string& param(const std::string& name) const;

  Caller caller;
  std::map<std::string, std::string> params;

  void answer(HttpResponse response);
  void answer(const Error& error);
  void answer_json(int status, const json::value& value);
  void start_stream(std::string_view content_type);
  bool write(std::string piece, bool must_keep = false);
  void finish();
  void on_abandoned(std::function<void()> callback);
  void upgrade(std::shared_ptr<WebSocketHandler> handler);

  // Further facts for the log line: execution_id, session_id.
  void note(std::string_view name, std::string_view value);

 private:
  void conclude(int status, std::string_view end);
  HttpResponse decorated(HttpResponse response) const;

  Context context_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  json::object notes_;
  int status_ = 0;
  std::uint64_t bytes_ = 0;
  bool concluded_ = false;
};

// Declares what calls count: cove_http_requests_total, cove_http_request_seconds.
void declare_http_metrics(Metrics& metrics);

// Headers that every answer has.
void add_common_headers(HttpResponse& response, std::string_view request_id);

}  // namespace cove
