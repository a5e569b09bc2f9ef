#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http_message.h"
#include "api/web_socket.h"

namespace cove {

// One request's answer, given once: whole by send(), or piece by piece by start_stream(), write()
// and finish(). Calls may come from any thread and never block: what a slow reader has not taken
// waits in a bounded buffer.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual void send(HttpResponse response) = 0;

  virtual void start_stream(HttpResponse head) = 0;
  // False, and nothing is kept, when the buffer is full or the client is gone. `must_keep` ignores
  // the buffer's bound: for the last piece, which is bounded by what it tells of.
  virtual bool write(std::string piece, bool must_keep = false) = 0;
  virtual void finish() = 0;

  // Called once, on a thread of the server, if the client goes away before the answer is complete;
  // at once if it is gone already.
  virtual void on_abandoned(std::function<void()> callback) = 0;

  // Instead of an answer: the connection becomes a WebSocket. Only if the request wants_upgrade.
  virtual void upgrade(std::shared_ptr<WebSocketHandler> handler, HeaderList headers) = 0;
};

// What a server does with requests. Both calls come on the server's threads and must return soon.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Looks at a request whose body is not read yet: an answer refuses it. Nobody without a key can
  // make the server read a large body.
  virtual std::optional<HttpResponse> admit(const HttpRequest& request) = 0;
  virtual void handle(std::shared_ptr<const HttpRequest> request,
                      std::shared_ptr<HttpExchange> exchange) = 0;
  // For requests that could not be read at all: the body of a 400, 408, 413, 431, …
  virtual HttpResponse refusal(int status, std::string_view message, const std::string& peer) = 0;
};

}  // namespace cove
